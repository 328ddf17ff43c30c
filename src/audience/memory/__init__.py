"""How an agent remembers: stateless behaviour over thoughts kept in the world."""

from audience.memory.kinds import Fading, Life, Memory, NoMemory, Recollection

__all__ = ["Fading", "Life", "Memory", "NoMemory", "Recollection"]
