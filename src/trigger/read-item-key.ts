import type { ItemId } from '../component/trigger-data.js';
import type { CompiledTrigger } from '../document/compile/compiled-request.js';
import { isDate, toText } from '../iml/values/coerce.js';
import type { ItemKey } from '../run/response/collect-outputs.js';
import type { RunContext } from '../run/scope/run-context.js';
import { readItemDate } from './read-item-date.js';
import type { ItemPosition, TriggerType } from './trigger-state.js';

/**
 * What identifies an item. One without id, or without date in a trigger by date, cannot be told from others: it gives
 * undefined, and a warning, as does a draft without a date of publication. [choice]
 *
 * @throws AppError of type RuntimeError for a date that cannot be read
 */
export function readItemKey(
  key: ItemKey,
  trigger: CompiledTrigger,
  type: TriggerType,
  context: RunContext,
): ItemPosition | undefined {
  const id = readId(key.id);
  const dateMs = type === 'id' ? 0 : readItemDate(key.date, trigger.date, context);
  if (id !== undefined && dateMs !== undefined) return { id, dateMs };
  const what = id === undefined ? 'id' : 'date';
  const place = context.document?.placeOf(trigger[what]?.pointer ?? '/response/trigger');
  const message = `Items without ${what} are left out: trigger.${what} gives nothing for them.`;
  context.warnOnce({ code: 'trigger-key', message, place });
  return undefined;
}

function readId(value: unknown): ItemId | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  if (typeof value === 'object' && !isDate(value)) return undefined;
  return toText(value) || undefined;
}
