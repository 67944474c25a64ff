import type { BuiltResponse } from '../../../engine/run/build-answer.js';
import { fitText } from './print-table.js';
import { printableLine } from './terminal-text.js';

/** The response to the sender as data: the body as text, or base64. */
export interface ShownAnswer {
  readonly status: number;
  readonly headers: BuiltResponse['headers'];
  readonly body: string;
  /** Only if the body is not text. */
  readonly encoding?: 'base64';
}

export function shownAnswer({ status, headers, body }: BuiltResponse): ShownAnswer {
  const text = readText(body);
  if (text !== undefined) return { status, headers, body: text };
  return { status, headers, body: Buffer.from(body).toString('base64'), encoding: 'base64' };
}

const SHOWN_WIDTH = 200;

/** One line: `answer: 200 text/plain, 8 bytes: Accepted`. */
export function answerLine({ status, headers, body }: BuiltResponse): string {
  const type = headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1];
  const text = body.byteLength === 0 ? undefined : readText(body);
  const content = text === undefined ? '' : `: ${fitText(printableLine(text), SHOWN_WIDTH)}`;
  const kind = type === undefined ? '' : ` ${printableLine(type)}`;
  return `answer: ${status}${kind}, ${body.byteLength} bytes${content}\n`;
}

function readText(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
