// Posts as a feed: who wrote, how many it reached, how often it was passed on.

import { useFeed } from "../fold/store";
import { latestPosts } from "../fold/views";
import { useHere } from "../parts/context";
import { count } from "../parts/format";
import { Empty } from "../parts/ui";
import { NoteLink, PersonLink } from "./Told";

export function Posts() {
  const { feed, live } = useHere();
  useFeed(feed, 2);
  const posts = latestPosts(live, 60);
  if (!posts.length) return <Empty title="Nobody has posted yet">Posts, forwards, announcements and advertisements appear here with how far they reach.</Empty>;
  return (
    <div className="scroll posts" tabIndex={0} role="region" aria-label="Posts">
      {posts.map((one) => (
        <article key={one.id} className="post">
          <header><PersonLink id={one.author} /><span className="faint small">round {one.round}{one.source ? " · forwarded" : ""}</span></header>
          <p>{one.text}</p>
          <footer className="faint small">reached {count(one.reach)} · forwarded {count(one.forwards)} {one.step >= 0 ? <NoteLink about={`talk.${one.n}.${one.step}`} what="this post" /> : null}</footer>
        </article>
      ))}
    </div>
  );
}
