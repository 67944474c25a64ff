import { get } from 'node:http';

/**
 * Asks a server for its page and drops the answer. The first answer of a process loads Node's Fetch API and puts the
 * routes in order, some 50 ms of the processor, which a browser is not to wait for while its user opens it.
 */
export function warmUp(origin: string): void {
  // Nobody is told: who opens the page hears of what is wrong with it.
  get(origin, { agent: false }, (answer) => void answer.resume()).on('error', () => {});
}
