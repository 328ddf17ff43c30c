"""The contract that rooms are entered through their doors, for import-linter."""

from __future__ import annotations

from typing import cast

from grimp import ImportGraph
from importlinter import Contract, ContractCheck, fields, output


class DoorsContract(Contract):
    """A module outside a room imports its package, never a file inside it.

    A room is a package below the root; its door is its `__init__`. `open_files` are the few files
    that may be imported whole, as namespaces.
    """

    type_name = "doors"

    open_files = fields.SetField(subfield=fields.StringField(), required=False)

    def check(self, graph: ImportGraph, verbose: bool) -> ContractCheck:
        packages = {module.rpartition(".")[0] for module in graph.modules} - {""}
        opened = set(cast("set[str]", self.open_files or ()))
        breaches = []
        for importer in sorted(graph.modules):
            for imported in sorted(graph.find_modules_directly_imported_by(importer)):
                room = imported.rpartition(".")[0]
                if imported in packages or imported in opened or room.count(".") < 1:
                    continue
                if not f"{importer}.".startswith(f"{room}."):
                    lines = graph.get_import_details(importer=importer, imported=imported)
                    breaches.append((importer, imported, lines[0]["line_number"]))
        return ContractCheck(kept=not breaches, metadata={"breaches": breaches})

    def render_broken_contract(self, check: ContractCheck) -> None:
        for importer, imported, line in check.metadata["breaches"]:
            room = imported.rpartition(".")[0]
            output.print_error(f"{importer}, line {line}: import from {room}, not from {imported}")
