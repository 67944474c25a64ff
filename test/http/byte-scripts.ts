/** Steps of a server after it has read a request: write bytes (Latin-1), wait, close, or reset the connection. */
export type Step =
  | string
  | { readonly waitMs: number }
  | 'CLOSE'
  | 'RESET'
  | { readonly repeat: string; readonly times: number };

export interface ByteScript {
  readonly id: string;
  readonly steps: readonly Step[];
  /** Default: GET. */
  readonly method?: string;
  /** Status and body of the response, or the error code. */
  readonly expect:
    | { readonly status: number; readonly body?: string; readonly header?: readonly [string, string] }
    | { readonly code: string };
}

const OK = 'HTTP/1.1 200 OK\r\n';
const CHUNKED = `${OK}Transfer-Encoding: chunked\r\n\r\n`;
const failed = { code: 'NETWORK_FAILED' } as const;
const timedOut = { code: 'NETWORK_TIMEOUT' } as const;
const tooLarge = { code: 'NETWORK_RESPONSE_TOO_LARGE' } as const;

/** Runs with a timeout for headers and body, and a limit of 1000 body bytes. */
export const BYTE_SCRIPTS: readonly ByteScript[] = [
  { id: 'content-length', steps: [`${OK}Content-Length: 2\r\n\r\nhi`], expect: { status: 200, body: 'hi' } },
  { id: 'content-length zero', steps: [`${OK}Content-Length: 0\r\n\r\n`], expect: { status: 200, body: '' } },
  {
    id: 'chunked',
    steps: [`${CHUNKED}2\r\nhi\r\n1\r\n!\r\n0\r\n\r\n`],
    expect: { status: 200, body: 'hi!' },
  },
  {
    id: 'chunk extensions and trailers',
    steps: [`${CHUNKED}2;a=b\r\nhi\r\n0\r\nX-T: 1\r\n\r\n`],
    expect: { status: 200, body: 'hi' },
  },
  { id: 'a body until close', steps: [`${OK}\r\nhi`, 'CLOSE'], expect: { status: 200, body: 'hi' } },
  {
    id: 'HTTP/1.0',
    steps: ['HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nhi', 'CLOSE'],
    expect: { status: 200, body: 'hi' },
  },
  {
    id: 'in pieces of one byte',
    steps: [...`${OK}Content-Length: 2\r\n\r\nhi`],
    expect: { status: 200, body: 'hi' },
  },
  {
    id: 'a pause inside a body',
    steps: [`${OK}Content-Length: 4\r\n\r\nhi`, { waitMs: 50 }, '!!'],
    expect: { status: 200, body: 'hi!!' },
  },
  { id: 'no reason phrase', steps: ['HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n'], expect: { status: 200 } },
  {
    id: 'a status outside the list',
    steps: ['HTTP/1.1 999 What\r\nContent-Length: 1\r\n\r\nx'],
    expect: { status: 999, body: 'x' },
  },
  { id: 'status 599', steps: ['HTTP/1.1 599 X\r\nContent-Length: 0\r\n\r\n'], expect: { status: 599 } },
  { id: '204 without length', steps: ['HTTP/1.1 204 No Content\r\n\r\n'], expect: { status: 204, body: '' } },
  {
    id: '204 that announces a body',
    steps: ['HTTP/1.1 204 No Content\r\nContent-Length: 5000\r\n\r\n'],
    expect: { status: 204, body: '' },
  },
  {
    id: '304',
    steps: ['HTTP/1.1 304 Not Modified\r\nContent-Length: 5000\r\n\r\n'],
    expect: { status: 304, body: '' },
  },
  {
    id: 'HEAD with a length',
    method: 'HEAD',
    steps: [`${OK}Content-Length: 5000\r\n\r\n`],
    expect: { status: 200, body: '' },
  },
  {
    id: 'repeated header',
    steps: [`${OK}X-A: 1\r\nx-a: 2\r\nContent-Length: 0\r\n\r\n`],
    expect: { status: 200, header: ['x-a', '1, 2'] },
  },
  {
    id: 'header in Latin-1',
    steps: [`${OK}X-A: \xe9\r\nContent-Length: 0\r\n\r\n`],
    expect: { status: 200, header: ['x-a', 'é'] },
  },
  {
    id: 'header named like a member of Object',
    steps: [`${OK}constructor: x\r\nContent-Length: 0\r\n\r\n`],
    expect: { status: 200, header: ['constructor', 'x'] },
  },
  {
    id: 'header named __proto__',
    steps: [`${OK}__proto__: x\r\n__proto__: y\r\nContent-Length: 0\r\n\r\n`],
    expect: { status: 200, header: ['__proto__', 'x, y'] },
  },
  {
    id: 'empty header',
    steps: [`${OK}X-A:\r\nContent-Length: 0\r\n\r\n`],
    expect: { status: 200, header: ['x-a', ''] },
  },
  {
    id: 'white space inside a value, for as long as there is room',
    steps: [`${OK}X-A: a${' '.repeat(60_000)}b \r\nContent-Length: 0\r\n\r\n`],
    expect: { status: 200 },
  },
  {
    id: 'white space around a value',
    steps: [`${OK}X-A: \t b \r\nContent-Length: 0\r\n\r\n`],
    expect: { status: 200, header: ['x-a', 'b'] },
  },
  {
    id: '103 before the response',
    steps: [`HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n${OK}Content-Length: 2\r\n\r\nhi`],
    expect: { status: 200, body: 'hi' },
  },
  {
    id: '16 interim responses',
    steps: [{ repeat: 'HTTP/1.1 103 E\r\n\r\n', times: 16 }, `${OK}Content-Length: 0\r\n\r\n`],
    expect: { status: 200 },
  },
  {
    id: '17 interim responses',
    steps: [{ repeat: 'HTTP/1.1 103 E\r\n\r\n', times: 17 }, `${OK}Content-Length: 0\r\n\r\n`],
    expect: failed,
  },
  {
    id: 'a flood of interim responses',
    steps: [{ repeat: 'HTTP/1.1 102 P\r\n\r\n', times: 100_000 }],
    expect: failed,
  },
  {
    id: '101 that was not asked for',
    steps: ['HTTP/1.1 101 Switching\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n'],
    expect: failed,
  },
  {
    id: 'exactly the ceiling',
    steps: [`${OK}Content-Length: 1000\r\n\r\n${'x'.repeat(1000)}`],
    expect: { status: 200 },
  },
  { id: 'one announced above the ceiling', steps: [`${OK}Content-Length: 1001\r\n\r\n`], expect: tooLarge },
  {
    id: 'one sent above the ceiling',
    steps: [`${CHUNKED}3e9\r\n${'x'.repeat(1001)}\r\n0\r\n\r\n`],
    expect: tooLarge,
  },
  {
    id: 'exactly the ceiling, chunked',
    steps: [`${CHUNKED}3e8\r\n${'x'.repeat(1000)}\r\n0\r\n\r\n`],
    expect: { status: 200 },
  },
  {
    id: 'an endless chunked body',
    steps: [CHUNKED, { repeat: '5\r\nhello\r\n', times: 100_000 }],
    expect: tooLarge,
  },
  {
    id: 'an endless body until close',
    steps: [`${OK}\r\n`, { repeat: 'hello', times: 100_000 }],
    expect: tooLarge,
  },
  {
    id: 'a length beyond numbers',
    steps: [`${OK}Content-Length: 99999999999999999999999\r\n\r\n`],
    expect: failed,
  },
  { id: 'truncated length', steps: [`${OK}Content-Length: 10\r\n\r\nhi`, 'CLOSE'], expect: failed },
  { id: 'truncated chunk', steps: [`${CHUNKED}a\r\nhi`, 'CLOSE'], expect: failed },
  { id: 'no last chunk', steps: [`${CHUNKED}2\r\nhi\r\n`, 'CLOSE'], expect: failed },
  { id: 'last chunk cut', steps: [`${CHUNKED}2\r\nhi\r\n0\r\n`, 'CLOSE'], expect: failed },
  { id: 'chunk size is no number', steps: [`${CHUNKED}zz\r\nhi\r\n0\r\n\r\n`], expect: failed },
  { id: 'chunk size beyond numbers', steps: [`${CHUNKED}fffffffffffffffffff\r\nhi`], expect: failed },
  { id: 'chunk longer than its size', steps: [`${CHUNKED}1\r\nhi\r\n0\r\n\r\n`], expect: failed },
  {
    id: 'two lengths that differ',
    steps: [`${OK}Content-Length: 2\r\nContent-Length: 3\r\n\r\nhi!`],
    expect: failed,
  },
  {
    id: 'length and chunked',
    steps: [`${OK}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n`],
    expect: failed,
  },
  { id: 'negative length', steps: [`${OK}Content-Length: -1\r\n\r\n`], expect: failed },
  { id: 'length with letters', steps: [`${OK}Content-Length: 2x\r\n\r\nhi`], expect: failed },
  { id: 'closed without a byte', steps: ['CLOSE'], expect: failed },
  { id: 'reset without a byte', steps: ['RESET'], expect: failed },
  { id: 'closed inside the status line', steps: ['HTTP/1.1 2', 'CLOSE'], expect: failed },
  { id: 'closed inside the headers', steps: [`${OK}X-A: 1\r\n`, 'CLOSE'], expect: failed },
  {
    id: 'reset inside the body',
    steps: [`${OK}Content-Length: 10\r\n\r\nhi`, { waitMs: 20 }, 'RESET'],
    expect: failed,
  },
  { id: 'no HTTP at all', steps: ['SSH-2.0-OpenSSH_9.0\r\n'], expect: failed },
  { id: 'HTML without a head', steps: ['<html>hello</html>', 'CLOSE'], expect: failed },
  { id: 'HTTP/9.9', steps: ['HTTP/9.9 200 OK\r\nContent-Length: 0\r\n\r\n'], expect: failed },
  { id: 'status is no number', steps: ['HTTP/1.1 abc OK\r\nContent-Length: 0\r\n\r\n'], expect: failed },
  { id: 'a space in a header name', steps: [`${OK}X A: 1\r\nContent-Length: 0\r\n\r\n`], expect: failed },
  { id: 'a header without a colon', steps: [`${OK}nonsense\r\nContent-Length: 0\r\n\r\n`], expect: failed },
  { id: 'NUL in a header', steps: [`${OK}X-A: a\0b\r\nContent-Length: 0\r\n\r\n`], expect: failed },
  {
    id: 'a header of 60 kB',
    steps: [`${OK}X-A: ${'x'.repeat(60_000)}\r\nContent-Length: 0\r\n\r\n`],
    expect: { status: 200 },
  },
  {
    id: 'a header of 70 kB',
    steps: [`${OK}X-A: ${'x'.repeat(70_000)}\r\nContent-Length: 0\r\n\r\n`],
    expect: tooLarge,
  },
  { id: 'a flood of headers', steps: [OK, { repeat: 'X-A: 1\r\n', times: 100_000 }], expect: tooLarge },
  {
    id: 'a header that never ends',
    steps: [`${OK}X-A: `, { repeat: 'xxxxxxxx', times: 50_000 }],
    expect: tooLarge,
  },
  { id: 'silence', steps: [{ waitMs: 5000 }], expect: timedOut },
  {
    id: 'a drip of headers',
    steps: [OK, ...Array.from({ length: 100 }, (): Step[] => ['X-A: 1\r\n', { waitMs: 50 }]).flat()],
    expect: timedOut,
  },
  {
    id: 'silence inside the body',
    steps: [`${OK}Content-Length: 10\r\n\r\nhi`, { waitMs: 5000 }],
    expect: timedOut,
  },
  { id: 'silence inside a chunk', steps: [`${CHUNKED}a\r\nhi`, { waitMs: 5000 }], expect: timedOut },
];
