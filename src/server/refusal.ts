/** Why a request never reaches its handler, or gets no answer of it. */
export type Refusal = 'unreadable' | 'too-large' | 'too-slow' | 'busy' | 'full' | 'failed';

const ANSWERS: Readonly<Record<Refusal, readonly [status: number, text: string]>> = {
  unreadable: [400, 'The request cannot be read.'],
  'too-slow': [408, 'The request came too slowly.'],
  'too-large': [413, 'The payload is too large.'],
  failed: [500, 'The request could not be answered.'],
  busy: [503, 'Too many requests at a time. Try again later.'],
  full: [503, 'Too many bytes are being received. Try again later.'],
};

/** The plain answer to a refused request. */
export function refusalResponse(refusal: Refusal, maxBodyBytes: number): Response {
  const [status, reason] = ANSWERS[refusal];
  const text = refusal === 'too-large' ? `The payload is larger than ${maxBodyBytes} bytes.` : reason;
  const headers = {
    'content-type': 'text/plain; charset=utf-8',
    ...(status === 503 && { 'retry-after': '1' }),
  };
  return new Response(text, { status, headers });
}
