// How fast a new run goes: slowly enough to be followed, or as fast as it can.

import { Field } from "../parts/ui";

export type Speed = "watchable" | "full";

export function SpeedField({ speed, set }: { speed: Speed; set: (speed: Speed) => void }) {
  return (
    <Field label="Speed" hint="Can be changed while the run goes on. Experiments with several arms or seeds always go at full speed.">
      {(id, told) => (
        <select id={id} aria-describedby={told} value={speed} onChange={(event) => set(event.target.value as Speed)}>
          <option value="watchable">Watchable: two seconds a round, a minute in all</option>
          <option value="full">Full speed: as fast as possible</option>
        </select>
      )}
    </Field>
  );
}
