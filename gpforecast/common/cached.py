"""A property that is computed once, without the lock of Python 3.11."""

import functools
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from functools import cached_property
else:

    class cached_property(functools.cached_property):  # noqa: N801 - as in functools
        """As `functools.cached_property` is from Python 3.12 on: threads may compute it at once.

        Before, one lock for all instances made threads wait for each other, and a process that was
        forked while another thread held it waited for ever. Threads that compute a value at the
        same time all get that of the first to finish; it must depend on the instance alone.

        Examples
        --------
        >>> class Circle:
        ...     radius = 2.0
        ...
        ...     @cached_property
        ...     def area(self):
        ...         print("once")
        ...         return 3.0 * self.radius**2
        >>> circle = Circle()
        >>> circle.area, circle.area
        once
        (12.0, 12.0)
        """

        def __get__(self, instance, owner=None):
            """Return the value of an instance, or of a class the property."""
            if instance is None:
                return self
            known = vars(instance)
            if self.attrname in known:
                return known[self.attrname]
            return known.setdefault(self.attrname, self.func(instance))


__all__ = ["cached_property"]
