from threading import Event, Thread

from gskn._lazy import cached_property


class Counted:
    def __init__(self):
        self.n_calls = 0

    @cached_property
    def value(self):
        """Explain the value."""
        self.n_calls += 1
        return 7


def test_cached_property_is_computed_once():
    counted = Counted()
    assert [counted.value, counted.value, counted.n_calls] == [7, 7, 1]
    assert Counted.value.__doc__ == "Explain the value."


class Slow:
    def __init__(self, begun, finish):
        self.begun, self.finish = begun, finish

    @cached_property
    def value(self):
        self.begun.set()
        return self.finish.wait()


def test_instances_do_not_wait_for_each_other():
    finish = Event()
    slow, fast = Slow(Event(), finish), Slow(Event(), Event())
    fast.finish.set()
    first = Thread(target=lambda: slow.value)
    second = Thread(target=lambda: fast.value, daemon=True)
    first.start()
    slow.begun.wait()
    second.start()
    second.join(60)
    finish.set()
    first.join()
    assert not second.is_alive()
    assert fast.begun.is_set()
