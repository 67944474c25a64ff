import { splitAddress } from '../exchanges/canonical-request.js';
import type { Exchange } from '../exchanges/exchange.js';
import { matchRequest } from '../exchanges/match-request.js';
import type { RecordedCall } from '../recording/record-transport.js';

/** Exchanges of a case with the same target, such as the pages of a list, and the matching calls. */
export interface CallGroup {
  /** Indexes in order. */
  readonly exchanges: readonly number[];
  readonly calls: readonly RecordedCall[];
}

/** Calls of a run, paired with exchanges. */
export interface PairedCalls {
  /** One per target of the exchanges. */
  readonly groups: readonly CallGroup[];
  /** Calls without a matching exchange. */
  readonly strangers: readonly RecordedCall[];
}

/**
 * Pairs calls with exchanges of the same method and path; else of the same method, origin and number of path
 * segments, because IDs in paths differ.
 */
export function pairCalls(exchanges: readonly Exchange[], calls: readonly RecordedCall[]): PairedCalls {
  const groups: { readonly exchanges: number[]; readonly calls: RecordedCall[] }[] = [];
  const byAddress = new Map<string, (typeof groups)[number]>();
  for (const [index, exchange] of exchanges.entries()) {
    const address = nameAddress(exchange) ?? `#${index}`;
    const group = byAddress.get(address) ?? { exchanges: [], calls: [] };
    if (!byAddress.has(address)) groups.push(group);
    byAddress.set(address, group);
    group.exchanges.push(index);
  }
  const strangers: RecordedCall[] = [];
  for (const call of calls) {
    const same = byAddress.get(`${call.request.method} ${splitAddress(call.request.url)[0]}`);
    const alike = groups.filter(({ exchanges: [first = 0] }) => isAlike(exchanges[first] ?? {}, call));
    const group = same ?? alike.find((candidate) => candidate.calls.length === 0) ?? alike[0];
    if (group === undefined) strangers.push(call);
    else group.calls.push(call);
  }
  return { groups, strangers };
}

/** Undefined for an exchange without a literal URL. */
function nameAddress({ request = {} }: Exchange): string | undefined {
  if (typeof request.url !== 'string') return undefined;
  return `${typeof request.method === 'string' ? request.method.toUpperCase() : 'GET'} ${splitAddress(request.url)[0]}`;
}

function isAlike({ request = {} }: Exchange, { request: sent }: RecordedCall): boolean {
  const { method, url } = request;
  if (typeof url !== 'string') {
    const asked = { ...(method !== undefined && { method }), ...(url !== undefined && { url }) };
    return matchRequest(asked, sent).length === 0;
  }
  if (method !== undefined && matchRequest({ method }, sent).length > 0) return false;
  const [written, called] = [splitAddress(url)[0].split('/'), splitAddress(sent.url)[0].split('/')];
  return written.length === called.length && written[2] === called[2];
}
