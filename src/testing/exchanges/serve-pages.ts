import {
  ANY_TEXT,
  checkOptions,
  type OptionShapes,
  oneOfChoices,
  wholeNumber,
} from '../../errors/check-options.js';
import type { Transport } from '../../http/message/transport.js';
import type { PageServer } from './exchange.js';
import { type ExchangeProblem, respond, type ScriptedTransport } from './play-exchanges.js';
import type { VirtualClock } from './virtual-clock.js';

const SHAPES: OptionShapes<PageServer> = {
  kind: oneOfChoices('pages'),
  path: ANY_TEXT,
  pageParam: ANY_TEXT,
  pageSize: wholeNumber(0),
  itemsKey: ANY_TEXT,
  delayMs: wholeNumber(0),
};

/** Plays a service whose pages never end. */
export function createPageServer(server: PageServer, clock: VirtualClock): ScriptedTransport {
  checkOptions(server, SHAPES, 'The server of createPageServer', [
    'path',
    'pageParam',
    'pageSize',
    'itemsKey',
  ]);
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
