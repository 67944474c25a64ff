import type { Transport } from '../../http/message/transport.js';
import type { PageServer } from './exchange.js';
import { type ExchangeProblem, respond, type ScriptedTransport } from './play-exchanges.js';
import type { VirtualClock } from './virtual-clock.js';

/** Plays a service whose pages never end. */
export function createPageServer(server: PageServer, clock: VirtualClock): ScriptedTransport {
  const problems: ExchangeProblem[] = [];
  let calls = 0;
  const transport: Transport = async (request) => {
    request.signal.throwIfAborted();
    calls++;
    const url = new URL(request.url);
    if (request.method !== 'GET' || url.pathname !== server.path) {
      const message = `Only GET ${server.path} is served, not ${request.method} ${url.pathname}.`;
      problems.push({ kind: 'unmatched', call: calls, exchange: undefined, differences: [], message });
    }
    clock.advance(server.delayMs ?? 0);
    request.signal.throwIfAborted();
    const page = Number(url.searchParams.get(server.pageParam) ?? 1);
    const first = (page - 1) * server.pageSize + 1;
    const items = Array.from({ length: server.pageSize }, (_, index) => ({ id: first + index }));
    return respond({ status: 200, body: { [server.itemsKey]: items } }, request);
  };
  return { transport, problems: () => problems };
}
