// A link to something the server makes. Where links need leave, it fetches a ticket first.

import type { ReactNode } from "react";
import { needsTickets, send } from "../wire/api";
import type { TicketReply } from "../wire/types";

export function ApiLink({ path, className, children }: { path: string; className?: string; children: ReactNode }) {
  const open = (event: React.MouseEvent) => {
    if (!needsTickets()) return;
    event.preventDefault();
    void send<TicketReply>("/tickets", undefined).then(({ ticket }) => {
      window.open(`/api${path}${path.includes("?") ? "&" : "?"}ticket=${encodeURIComponent(ticket)}`, "_blank", "noopener");
    });
  };
  return <a className={className} href={`/api${path}`} target="_blank" rel="noreferrer" onClick={open}>{children}</a>;
}
