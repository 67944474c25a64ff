import { get } from 'node:http';

/**
 * Requests the page once. The first response of a process loads Node's Fetch API and compiles the routes, which would
 * delay the browser.
 */
export function warmUp(origin: string): void {
  // The browser will show the error.
  get(origin, { agent: false }, (answer) => void answer.resume()).on('error', () => {});
}
