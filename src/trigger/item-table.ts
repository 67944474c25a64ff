import type { Bundle } from '../run/response/collect-outputs.js';
import { idText } from './compare-ids.js';
import type { ItemPosition } from './trigger-state.js';

/** An item a poll has found, with the bundles it is put out as: one, or those of an output that is a list. */
export interface PolledItem extends ItemPosition {
  readonly bundles: readonly Bundle[];
}

/** A power of two. */
const MAPS = 64;

/** Items by position. In many small maps, as a map that is full is made anew as a whole: 100 ms for millions. */
export class ItemTable {
  readonly #maps: readonly Map<string, PolledItem>[] = Array.from({ length: MAPS }, () => new Map());

  /**
   * Puts an item in the place of one of the same position.
   *
   * @returns whether there was none
   */
  set(item: PolledItem): boolean {
    const id = idText(item.id);
    // The end of an id differs most, whatever it is.
    const hash = id.charCodeAt(id.length - 1) * 10 + id.charCodeAt(id.length - 2) + item.dateMs;
    const map = this.#maps[hash & (MAPS - 1)];
    const before = map?.size;
    map?.set(`${item.dateMs} ${id}`, item);
    return map?.size !== before;
  }

  *values(): Generator<PolledItem> {
    for (const map of this.#maps) yield* map.values();
  }
}
