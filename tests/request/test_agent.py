"""What an agent provider is shown."""

from tests.support.requests import answers, asks, says

from sidekeep.request.agent import unseen

PAGE, OTHER = (says("user", text, attach_id=text) for text in ("page", "other"))
QUESTION = asks("q")


def test_it_is_shown_the_question_and_the_attachments_that_wait_for_an_answer() -> None:
    assert unseen([asks("old"), OTHER, answers("a"), PAGE, OTHER, QUESTION]) == (PAGE, OTHER, QUESTION)


def test_a_question_that_got_no_answer_is_not_asked_again() -> None:
    assert unseen([answers("a"), PAGE, asks("lost"), QUESTION]) == (PAGE, QUESTION)


def test_attachments_that_were_answered_are_not_sent_again() -> None:
    assert unseen([PAGE, asks("old"), answers("a"), QUESTION]) == (QUESTION,)


def test_the_first_turn_is_shown_what_there_is() -> None:
    assert unseen([QUESTION]) == (QUESTION,)
    assert unseen([PAGE, QUESTION]) == (PAGE, QUESTION)
    assert unseen([]) == ()
