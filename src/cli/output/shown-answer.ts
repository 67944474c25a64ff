import type { BuiltResponse } from '../../run/response/build-answer.js';
import { fitText, printableLine } from './terminal-text.js';

/** The answer to the sender of a call as data: its body as text, or in base64 where it is none. */
export interface ShownAnswer {
  readonly status: number;
  readonly headers: BuiltResponse['headers'];
  readonly body: string;
  /** Only where the body is no text. */
  readonly encoding?: 'base64';
}

export function shownAnswer({ status, headers, body }: BuiltResponse): ShownAnswer {
  const text = readText(body);
  if (text !== undefined) return { status, headers, body: text };
  return { status, headers, body: Buffer.from(body).toString('base64'), encoding: 'base64' };
}

const SHOWN_WIDTH = 200;

/** `answer: 200 text/plain, 8 bytes: Accepted`, in one line. */
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
