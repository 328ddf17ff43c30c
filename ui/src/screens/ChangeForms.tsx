// One small form for each kind of change.

import { createContext, useContext, useEffect, useState, type ReactNode } from "react";
import { useAsked } from "../fold/store";
import { useHere } from "../parts/context";
import { Named, meant } from "../parts/Named";
import { useNumber } from "../parts/route";
import { Field } from "../parts/ui";
import { FindPerson } from "../watch/FindPerson";
import { get, runPath } from "../wire/api";
import type { Change, Person } from "../wire/types";

export type What = "profile" | "person" | "tie" | "announce" | "advertise" | "item" | "recommender" | "silence" | "topic";
type Make = (change: Change) => Promise<boolean>;
/** Where a change is only noted down, its button says so. */
export const DraftContext = createContext(false);
type Fields = Record<string, string>;

const words = (typed: string | undefined): string[] => (typed ?? "").split(",").map((one) => one.trim()).filter(Boolean);
const numbersIn = (typed: string | undefined): number[] => words(typed).map(Number).filter((one) => Number.isInteger(one) && one >= 0);

function useFields(first: Fields): [Fields, (key: string) => { value: string; onChange: (event: { target: { value: string } }) => void }, (next: Fields) => void] {
  const [fields, setFields] = useState(first);
  const field = (key: string) => ({ value: fields[key] ?? "", onChange: (event: { target: { value: string } }) => setFields((old) => ({ ...old, [key]: event.target.value })) });
  return [fields, field, setFields];
}

function Frame({ ready, name, act, children }: { ready: boolean; name: string; act: () => void; children: ReactNode }) {
  const isDraft = useContext(DraftContext);
  return (
    <form className="stack" onSubmit={(event) => { event.preventDefault(); act(); }}>
      {children}
      <div className="tools"><button type="submit" className={isDraft ? "" : "main"} disabled={!ready}>{isDraft ? "Add to the branch" : name}</button></div>
    </form>
  );
}

function Typed({ label, hint, field }: { label: string; hint?: string; field: { value: string; onChange: (event: { target: { value: string } }) => void } }) {
  return <Field label={label} hint={hint}>{(id, told) => <input id={id} aria-describedby={told} autoComplete="off" {...field} />}</Field>;
}

function Who({ label, id, chosen, choose }: { label: string; id: string; chosen: number | null; choose: (id: number) => void }) {
  const { feed } = useHere();
  return (
    <div className="field"><FindPerson id={id} label={label} choose={(one) => choose(one.id)} />
      <p className="hint">{chosen === null ? "Nobody is selected yet." : <><span className="strong">{feed.person(chosen)}</span> (person {chosen})</>}</p></div>
  );
}

function Profile({ make }: { make: Make }) {
  const { feed } = useHere();
  const [who, setWho] = useNumber("who", "replace");
  const asked = useAsked(who === null ? null : (signal) => get<Person>(`${runPath(feed.id)}/people/${who}`, signal), `${who}`);
  const old = asked.value?.profile;
  const [fields, field, setFields] = useFields({});
  useEffect(() => {
    if (old) setFields({ name: old.name, age: old.age == null ? "" : `${old.age}`, gender: old.gender, career: old.career, traits: old.traits.join(", "), interests: old.interests.join(", "), activity: `${old.activity}` });
  }, [old]);
  const changed = (): Record<string, unknown> => {
    if (!old) return {};
    const next: [string, unknown, unknown][] = [
      ["name", fields["name"], old.name], ["gender", fields["gender"], old.gender], ["career", fields["career"], old.career],
      ["age", fields["age"] ? Number(fields["age"]) : null, old.age], ["traits", words(fields["traits"]), old.traits],
      ["interests", words(fields["interests"]), old.interests], ["activity", Number(fields["activity"]), old.activity],
    ];
    return Object.fromEntries(next.filter(([, now, was]) => JSON.stringify(now) !== JSON.stringify(was)).map(([key, now]) => [key, now]));
  };
  const news = changed();
  return (
    <Frame ready={Object.keys(news).length > 0} name="Change the profile" act={() => void make({ type: "ChangeProfile", agent: who, fields: news })}>
      <Who label="Whose profile" id="change-who" chosen={who} choose={setWho} />
      {old ? (
        <>
          <div className="two"><Typed label="Name" field={field("name")} /><Typed label="Career" field={field("career")} /></div>
          <div className="three"><Typed label="Age" field={field("age")} /><Typed label="Gender" field={field("gender")} /><Typed label="Activity" field={field("activity")} /></div>
          <Typed label="Traits" hint="Separated by commas" field={field("traits")} />
          <Typed label="Interests" hint="Separated by commas; new ones also reset the taste" field={field("interests")} />
        </>
      ) : null}
    </Frame>
  );
}

function NewPerson({ make }: { make: Make }) {
  const { feed } = useHere();
  const [fields, field, set] = useFields({});
  const act = () => void make({
    type: "AddPerson", friends: numbersIn(fields["friends"]),
    profile: {
      id: feed.panel?.people ?? 0, name: (fields["name"] ?? "").trim(), gender: fields["gender"] ?? "", career: fields["career"] ?? "",
      age: fields["age"] ? Number(fields["age"]) : null, traits: words(fields["traits"]), interests: words(fields["interests"]),
    },
  }).then((ok) => { if (ok) set({}); });
  return (
    <Frame ready={Boolean(fields["name"]?.trim())} name="Add this person" act={act}>
      <div className="two"><Typed label="Name" field={field("name")} /><Typed label="Career" field={field("career")} /></div>
      <div className="two"><Typed label="Age" field={field("age")} /><Typed label="Gender" field={field("gender")} /></div>
      <Typed label="Traits" hint="Separated by commas" field={field("traits")} />
      <Typed label="Interests" hint={feed.names.tags.length ? `Known: ${feed.names.tags.join(", ")}` : "Separated by commas"} field={field("interests")} />
      <Typed label="Friends" hint="Numbers of people, separated by commas" field={field("friends")} />
    </Frame>
  );
}

function Tie({ make }: { make: Make }) {
  const [one, setOne] = useState<number | null>(null);
  const [other, setOther] = useState<number | null>(null);
  const [does, setDoes] = useState("add");
  const [fields, field] = useFields({ kind: "friend", closeness: "0.5" });
  const act = () => void make(does === "add"
    ? { type: "AddTie", agent: one, other, kind: fields["kind"] ?? "friend", closeness: Number(fields["closeness"]) }
    : { type: "CutTie", agent: one, other });
  return (
    <Frame ready={one !== null && other !== null && one !== other} name={does === "add" ? "Add the tie" : "Cut the tie"} act={act}>
      <fieldset className="radios"><legend>What to do</legend>
        <label><input type="radio" name="tie" checked={does === "add"} onChange={() => setDoes("add")} /> Add a tie</label>
        <label><input type="radio" name="tie" checked={does === "cut"} onChange={() => setDoes("cut")} /> Cut a tie</label></fieldset>
      <div className="two"><Who label="Who listens" id="tie-one" chosen={one} choose={setOne} /><Who label="To whom" id="tie-other" chosen={other} choose={setOther} /></div>
      {does === "add" ? <div className="two"><Typed label="Kind" field={field("kind")} /><Typed label="Closeness, 0 to 1" field={field("closeness")} /></div> : null}
    </Frame>
  );
}

function ItemChoice({ chosen, choose }: { chosen: string; choose: (typed: string) => void }) {
  const { feed } = useHere();
  return <Field label="About an item" hint="Leave empty for none">{(id) => <Named id={id} names={feed.names.items} value={chosen} set={choose} />}</Field>;
}

function Message({ make, isAd }: { make: Make; isAd: boolean }) {
  const { feed } = useHere();
  const [fields, field, set] = useFields({ stance: isAd ? "0.5" : "0" });
  const [item, setItem] = useState("");
  const [share, setShare] = useState("interest");
  const about = meant(item, feed.names.items);
  const act = () => void make({
    type: isAd ? "Advertise" : "Announce", text: (fields["text"] ?? "").trim(), items: about === null ? [] : [about], stance: Number(fields["stance"]),
    ...(isAd ? { agents: numbersIn(fields["agents"]), [share]: (fields["shared"] ?? "").trim() } : {}),
  }).then((ok) => { if (ok) set({ ...fields, text: "" }); });
  return (
    <Frame ready={Boolean(fields["text"]?.trim())} name={isAd ? "Advertise" : "Announce"} act={act}>
      <Field label="Text">{(id) => <textarea id={id} rows={3} {...field("text")} placeholder={isAd ? "For everybody who likes a good chase." : "The winter programme begins."} />}</Field>
      <div className="two"><ItemChoice chosen={item} choose={setItem} /><Typed label="Stance, −1 to 1" field={field("stance")} /></div>
      {isAd ? <div className="three">
        <Field label="To those who share">{(id) => <select id={id} value={share} onChange={(event) => setShare(event.target.value)}>
          {["interest", "gender", "career", "trait"].map((one) => <option key={one}>{one}</option>)}</select>}</Field>
        <Typed label="Value" hint={share === "interest" && feed.names.tags.length ? `Such as ${feed.names.tags.slice(0, 2).join(", ")}` : ""} field={field("shared")} />
        <Typed label="To people by number" hint="Separated by commas; leave all fields empty for everybody" field={field("agents")} /></div> : null}
    </Frame>
  );
}

function NewItem({ make }: { make: Make }) {
  const { feed } = useHere();
  const [fields, field, set] = useFields({ quality: "0.5" });
  const act = () => void make({
    type: "AddItem", item: {
      id: feed.panel?.items ?? 0, title: (fields["title"] ?? "").trim(), about: fields["about"] ?? "", tags: words(fields["tags"]),
      year: fields["year"] ? Number(fields["year"]) : null, minutes: Number(fields["minutes"] || 0), quality: Number(fields["quality"]),
    },
  }).then((ok) => { if (ok) set({ quality: "0.5" }); });
  return (
    <Frame ready={Boolean(fields["title"]?.trim())} name="Add this item" act={act}>
      <Typed label="Title" field={field("title")} />
      <Field label="About">{(id) => <textarea id={id} rows={2} {...field("about")} />}</Field>
      <Typed label="Tags" hint={feed.names.tags.length ? `Known: ${feed.names.tags.join(", ")}` : "Separated by commas"} field={field("tags")} />
      <div className="three"><Typed label="Year" field={field("year")} /><Typed label="Minutes" field={field("minutes")} /><Typed label="Quality, 0 to 1" field={field("quality")} /></div>
    </Frame>
  );
}

function Recommender({ make }: { make: Make }) {
  const { feed, session } = useHere();
  const [kind, setKind] = useState(feed.control?.algorithm ?? "popular");
  const [options, setOptions] = useState("");
  let read: Record<string, unknown> | null = {};
  try { read = options.trim() ? (JSON.parse(options) as Record<string, unknown>) : {}; } catch { read = null; }
  return (
    <Frame ready={read !== null} name="Use this recommender" act={() => void make({ type: "SwapRecommender", kind, options: read ?? {} })}>
      <Field label="Recommender" hint={`Now: ${feed.control?.algorithm || "–"}`}>{(id, told) => <select id={id} aria-describedby={told} value={kind} onChange={(event) => setKind(event.target.value)}>
        {[...new Set([kind, ...session.recommenders])].sort().map((one) => <option key={one}>{one}</option>)}</select>}</Field>
      <Field label="Options" hint={'As JSON, such as {"half_life_days": 7}. Choose the same recommender to retune it.'} problem={read === null ? "This is not valid JSON." : undefined}>
        {(id, told) => <input id={id} aria-describedby={told} className="code" value={options} onChange={(event) => setOptions(event.target.value)} autoComplete="off" />}</Field>
    </Frame>
  );
}

function Silence({ make }: { make: Make }) {
  const [who, setWho] = useState<number | null>(null);
  const [silent, setSilent] = useState(true);
  return (
    <Frame ready={who !== null} name={silent ? "Silence" : "End the silence"} act={() => void make({ type: "Silence", agent: who, silent })}>
      <Who label="Who" id="silence-who" chosen={who} choose={setWho} />
      <label className="check"><input type="checkbox" checked={silent} onChange={(event) => setSilent(event.target.checked)} /> keep this person from waking and talking</label>
    </Frame>
  );
}

function NewTopic({ make }: { make: Make }) {
  const [fields, field, set] = useFields({ stance: "0", favour: "0.5" });
  const [seeds, setSeeds] = useState<number[]>([]);
  const { feed } = useHere();
  const ready = Boolean(fields["name"]?.trim() && fields["text"]?.trim() && seeds.length);
  const act = () => void make({
    type: "Raise", seeds, stance: Number(fields["stance"]),
    topic: {
      name: (fields["name"] ?? "").trim(), text: (fields["text"] ?? "").trim(), about: (fields["about"] ?? "").trim(),
      appeals: words(fields["appeals"]), favour: Number(fields["favour"]),
    },
  }).then((ok) => { if (ok) { set({ stance: "0", favour: "0.5" }); setSeeds([]); } });
  return (
    <Frame ready={ready} name="Raise this topic" act={act}>
      <p className="hint">The first people to hear it tell everyone who follows them; each reader then reacts, takes a side, forwards it, writes about it or stays silent.</p>
      <div className="two"><Typed label="Name" hint="One or two words" field={field("name")} /><Typed label="Appeals to" hint="Interests, traits or careers" field={field("appeals")} /></div>
      <Field label="First message">{(id) => <textarea id={id} rows={2} {...field("text")} placeholder="The city wants to close the river road to cars." />}</Field>
      <Field label="What it is" hint="One sentence known to everyone who has heard of it">{(id, told) => <textarea id={id} aria-describedby={told} rows={2} {...field("about")} />}</Field>
      <div className="two"><Typed label="In favour, 0 to 1" field={field("favour")} /><Typed label="Its stance, −1 to 1" field={field("stance")} /></div>
      <div className="field"><FindPerson id="topic-seeds" label="First to hear of it" choose={(one) => setSeeds((old) => (old.includes(one.id) ? old : [...old, one.id]))} />
        {seeds.length ? <ul className="chips" aria-label="First to hear of it">{seeds.map((one) => (
          <li key={one}>{feed.person(one)} <button type="button" className="quiet icon" aria-label={`Remove ${feed.person(one)}`} onClick={() => setSeeds((old) => old.filter((other) => other !== one))}>✕</button></li>))}</ul>
          : <p className="hint">Nobody is selected yet.</p>}</div>
    </Frame>
  );
}

export const FORMS: Record<What, (props: { make: Make }) => ReactNode> = {
  profile: Profile, person: NewPerson, tie: Tie, item: NewItem, recommender: Recommender, silence: Silence, topic: NewTopic,
  announce: (props) => <Message {...props} isAd={false} />,
  advertise: (props) => <Message {...props} isAd />,
};
