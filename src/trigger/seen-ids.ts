import type { ItemId, TriggerState } from '../component/trigger-data.js';
import type { Turns } from '../util/turns.js';
import { idText } from './compare-ids.js';
import { findShard, SHARDS } from './find-shard.js';

/** What of the last date was put out, by the texts of the ids. A busy trigger keeps a hundred thousand of them. */
export class SeenIds {
  readonly #shards: readonly Set<string>[] = Array.from({ length: SHARDS }, () => new Set());

  /** All that a state names, at once. */
  static of(state: TriggerState): SeenIds {
    const seen = new SeenIds();
    for (const id of listIds(state)) seen.#add(id);
    return seen;
  }

  /** The same on a thread that others need. */
  static async inTurns(state: TriggerState, turns: Turns): Promise<SeenIds> {
    const seen = new SeenIds();
    await turns.forEach(listIds(state), (id) => {
      seen.#add(id);
      return true;
    });
    return seen;
  }

  #add(id: ItemId): void {
    const text = idText(id);
    this.#shards[findShard(text)]?.add(text);
  }

  has(id: ItemId): boolean {
    const text = idText(id);
    return this.#shards[findShard(text)]?.has(text) === true;
  }
}

function listIds(state: TriggerState): readonly ItemId[] {
  return 'lastDate' in state ? state.sameDateIds : [];
}
