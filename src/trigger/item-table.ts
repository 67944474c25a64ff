import type { Bundle } from '../run/response/collect-outputs.js';
import { idText } from './compare-ids.js';
import { findShard, SHARDS } from './find-shard.js';
import type { ItemPosition } from './trigger-state.js';

/** An item a poll has found, with the bundles it is put out as: one, or those of an output that is a list. */
export interface PolledItem extends ItemPosition {
  readonly bundles: readonly Bundle[];
}

/** Items by position, in many small maps. */
export class ItemTable {
  readonly #maps: readonly Map<string, PolledItem>[] = Array.from({ length: SHARDS }, () => new Map());

  /**
   * Puts an item in the place of one of the same position.
   *
   * @returns whether there was none
   */
  set(item: PolledItem): boolean {
    const id = idText(item.id);
    const map = this.#maps[findShard(id, item.dateMs)];
    const before = map?.size;
    map?.set(`${item.dateMs} ${id}`, item);
    return map?.size !== before;
  }

  *values(): Generator<PolledItem> {
    for (const map of this.#maps) yield* map.values();
  }
}
