"""Every write that moves something, one function each; each checks, writes and records one event."""
