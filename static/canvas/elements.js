// Small helpers that make elements.

const SVG = "http://www.w3.org/2000/svg";

/** An HTML element with attributes (`class`, `text`, listeners as functions) and children. */
export function html(name, attributes = {}, ...children) {
  return filled(document.createElement(name), attributes, children);
}

/** The same for SVG. */
export function svg(name, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, name), attributes, children);
}

function filled(element, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (key === "text") element.textContent = value;
    else if (typeof value === "function") element.addEventListener(key, value);
    else if (value !== undefined && value !== false) element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children);
  return element;
}

/** Sets an attribute only where it is another: the browser then has nothing to do where nothing changed. */
export function put(element, key, value) {
  if (element.getAttribute(key) !== String(value)) element.setAttribute(key, value);
}

export function say(element, text) {
  if (element.textContent !== text) element.textContent = text;
}
