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

  /** In the place of one of the same position. */
  set(item: PolledItem): void {
    const id = idText(item.id);
    // The end of an id differs most, whatever it is.
    const map = id.charCodeAt(id.length - 1) * 10 + id.charCodeAt(id.length - 2) + item.dateMs;
    this.#maps[map & (MAPS - 1)]?.set(`${item.dateMs} ${id}`, item);
  }

  *values(): Generator<PolledItem> {
    for (const map of this.#maps) yield* map.values();
  }
}
