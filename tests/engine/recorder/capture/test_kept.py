"""An answer is worked out once and kept."""

from dataclasses import dataclass

from engine.recorder.capture.kept import kept


@dataclass(frozen=True)
class Asked:
    times: list[str]

    @kept
    def answer(self) -> str:
        """What is asked for."""
        self.times.append("worked out")
        return "this"


def test_it_is_worked_out_once_for_each_object() -> None:
    one, other = Asked([]), Asked([])
    assert [one.answer, one.answer, other.answer] == ["this", "this", "this"]
    assert one.times == other.times == ["worked out"]


def test_the_class_tells_what_it_is() -> None:
    assert Asked.answer.__doc__ == "What is asked for."
