// Choose a parameter: its lines are marked. Choose a line: its parameters are. `root` is the document, or the frame
// within a component. Everything that is shown stands in the page already; this only marks it.
function gradientCoverage(root) {
  const coverage = root.querySelector(".coverage");
  const { names, sets, lines } = JSON.parse(coverage.querySelector(".coverage-data").textContent);
  const bar = coverage.querySelector(".chosen");
  const said = bar.querySelector("[role=status]");
  const marks = new Map([...coverage.querySelectorAll("button.mark")].map((button) => [button.parentElement.id, button.parentElement]));
  const picks = [...coverage.querySelectorAll(".pick")];
  const meet = (some, others) => some.some(([a, b]) => others.some(([c, d]) => a <= d && c <= b));
  const size = (set) => set.reduce((sum, [a, b]) => sum + b - a + 1, 0);
  const bitsOf = (pick) => pick.dataset.bits.split(" ").map((span) => span.split("-").map(Number));
  const counted = (count, one) => `${count} ${one}${count === 1 ? "" : "s"}`;
  let on = [];
  let here = -1;

  function listed(set) {
    const shown = [];
    for (const [a, b] of set) for (let i = a; i <= b && shown.length < 8; i++) shown.push(names[i]);
    const more = size(set) - shown.length;
    return shown.join(", ") + (more ? ` and ${more} more` : "");
  }

  function clear() {
    for (const line of on) line.classList.remove("on", "here");
    for (const one of coverage.querySelectorAll("[aria-pressed=true]")) one.setAttribute("aria-pressed", "false");
    for (const pick of coverage.querySelectorAll(".pick.fed")) pick.classList.remove("fed");
    for (const count of coverage.querySelectorAll(".chosen-here")) count.textContent = "";
    coverage.classList.remove("choosing");
    on = [];
    here = -1;
  }

  function choose(button, found, text) {
    const again = button.getAttribute("aria-pressed") === "true";
    clear();
    bar.hidden = again;
    if (again) return;
    button.setAttribute("aria-pressed", "true");
    coverage.classList.add("choosing");
    on = found;
    const counts = new Map();
    for (const line of on) {
      line.classList.add("on");
      const file = line.closest(".file");
      counts.set(file, (counts.get(file) || 0) + 1);
    }
    for (const [file, count] of counts) file.querySelector(".chosen-here").textContent = `${counted(count, "line")} chosen`;
    said.textContent = text;
    for (const step of bar.querySelectorAll("[data-go='1'],[data-go='-1']")) step.hidden = on.length < 2;
  }

  function show(line) {
    for (let fold = line.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
    line.scrollIntoView({ block: "center" });
  }

  function go(by) {
    if (!on.length) return;
    if (here >= 0) on[here].classList.remove("here");
    here = (here + by + on.length) % on.length;
    on[here].classList.add("here");
    show(on[here]);
  }

  function chooseParameters(pick) {
    const bits = bitsOf(pick);
    const among = (which) => Object.keys(lines).filter((key) => meet(sets[lines[key][which]], bits));
    const feeding = among(0);
    const starving = among(1);
    const keys = new Set([...feeding, ...starving]);
    const parts = [];
    if (feeding.length) parts.push(`its gradient passes through ${counted(feeding.length, "line")}`);
    if (starving.length) parts.push(`no gradient reaches it through ${counted(starving.length, "line")}`);
    const name = pick.querySelector(".name").textContent;
    choose(pick, [...marks].filter(([key]) => keys.has(key)).map(([, line]) => line), `${name}: ${parts.join("; ") || "no line is known through which a gradient could reach it"}.`);
    if (on.length) go(1);
  }

  function chooseLine(button) {
    const line = button.closest(".line");
    const [feeds, starves] = lines[line.id].map((set) => sets[set]);
    const parts = [];
    if (size(feeds)) parts.push(`passes a gradient back to ${counted(size(feeds), "parameter")}: ${listed(feeds)}`);
    if (size(starves)) parts.push(`passes no gradient back to ${counted(size(starves), "parameter")}: ${listed(starves)}`);
    const where = `Line ${button.querySelector(".number").textContent}`;
    choose(button, [line], `${where} ${parts.join("; ") || "passes no gradient back to any parameter"}.`);
    if (!on.length) return;
    for (const pick of picks) pick.classList.toggle("fed", meet(bitsOf(pick), feeds) || meet(bitsOf(pick), starves));
  }

  coverage.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (!button) return;
    if (button.matches(".pick")) chooseParameters(button);
    else if (button.matches(".mark")) chooseLine(button);
    else if (button.matches(".chip")) {
      const kind = [...marks.values()].filter((line) => line.classList.contains(button.dataset.kind));
      choose(button, kind, `${button.textContent.trim().replace(/\s+/g, " ")}.`);
      go(1);
    } else if (button.dataset.go === "0") {
      const pressed = coverage.querySelector("[aria-pressed=true]");
      clear();
      bar.hidden = true;
      if (pressed) pressed.focus();
    } else go(Number(button.dataset.go));
  });

  // One stop of the tab key in each file; from there the arrow keys go from mark to mark.
  const inFile = (button) => [...button.closest(".file").querySelectorAll("button.mark")].filter((one) => one.offsetParent);
  for (const file of coverage.querySelectorAll(".file")) {
    [...file.querySelectorAll("button.mark")].forEach((button, i) => (button.tabIndex = i ? -1 : 0));
  }
  coverage.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !bar.hidden) coverage.querySelector("[data-go='0']").click();
    if (!event.target.matches("button.mark")) return;
    const all = inFile(event.target);
    const at = all.indexOf(event.target);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1 }[event.key];
    if (to === undefined || !all[to]) return;
    event.preventDefault();
    event.target.tabIndex = -1;
    all[to].tabIndex = 0;
    all[to].focus();
  });
  addEventListener("beforeprint", () => {
    for (const file of coverage.querySelectorAll(".file")) file.open = true;
  });
  for (const chip of coverage.querySelectorAll("button.chip")) chip.setAttribute("aria-pressed", "false");
}
