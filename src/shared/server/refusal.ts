/** Why the server refused a request. */
export type Refusal = 'unreadable' | 'too-large' | 'too-slow' | 'busy' | 'full' | 'failed';

const RESPONSES: Readonly<Record<Refusal, readonly [status: number, text: string]>> = {
  unreadable: [400, 'Malformed request.'],
  'too-slow': [408, 'Request timeout: the client sent too slowly.'],
  'too-large': [413, 'The payload is too large.'],
  failed: [500, 'Internal server error.'],
  busy: [503, 'Too many concurrent requests. Try again later.'],
  full: [503, 'Too many request bytes in flight. Try again later.'],
};

/** Creates a plain text response to a refused request. */
export function refusalResponse(refusal: Refusal, maxBodyBytes: number): Response {
  const [status, reason] = RESPONSES[refusal];
  const text = refusal === 'too-large' ? `The payload is larger than ${maxBodyBytes} bytes.` : reason;
  const headers = {
    'content-type': 'text/plain; charset=utf-8',
    ...(status === 503 && { 'retry-after': '1' }),
  };
  return new Response(text, { status, headers });
}
