import type { ApiProblem } from '../../protocol.js';

const STORED = 'iml-dev-token';

/** The error response of a request. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, { code, message }: ApiProblem) {
    super(message);
    this.name = 'ApiError';
    this.status = status;
    this.code = code;
  }
}

/**
 * Moves the token from the address to the session of this tab.
 *
 * @returns the other parameters of the fragment: `run=...`
 */
export function takeToken(): URLSearchParams {
  const given = new URLSearchParams(location.hash.replace(/^#/, ''));
  const token = given.get('token');
  if (token === null) return new URLSearchParams();
  sessionStorage.setItem(STORED, token);
  given.delete('token');
  history.replaceState(null, '', `${location.pathname}#/`);
  return given;
}

function headers(type?: string): Record<string, string> {
  return {
    authorization: `Bearer ${sessionStorage.getItem(STORED) ?? ''}`,
    ...(type !== undefined && { 'content-type': type }),
  };
}

async function readAnswer<T>(response: Response): Promise<T> {
  if (response.ok) return (await response.json()) as T;
  const problem = (await response.json().catch(() => undefined)) as ApiProblem | undefined;
  throw new ApiError(
    response.status,
    problem ?? { code: 'FAILED', message: `The server responded with status ${response.status}.` },
  );
}

/** @throws ApiError; TypeError if the server does not respond */
export async function get<T>(path: string): Promise<T> {
  return readAnswer<T>(await fetch(`/api/${path}`, { headers: headers() }));
}

/** @throws ApiError; TypeError if the server does not respond */
export async function post<T>(path: string, body: unknown = {}): Promise<T> {
  const init = { method: 'POST', headers: headers('application/json'), body: JSON.stringify(body) };
  return readAnswer<T>(await fetch(`/api/${path}`, init));
}

/** @throws ApiError; TypeError if the server does not respond */
export async function remove(path: string): Promise<void> {
  await readAnswer(await fetch(`/api/${path}`, { method: 'DELETE', headers: headers() }));
}

/** @throws ApiError; TypeError if the server does not respond */
export async function sendTrace(text: string): Promise<{ readonly id: string }> {
  const init = { method: 'POST', headers: headers('application/x-ndjson'), body: text };
  return readAnswer(await fetch('/api/traces', init));
}

/** Downloads the response of a request as a file. */
export async function download(path: string, name: string): Promise<void> {
  const response = await fetch(`/api/${path}`, { headers: headers() });
  if (!response.ok) await readAnswer(response);
  const address = URL.createObjectURL(await response.blob());
  const link = Object.assign(document.createElement('a'), { href: address, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

/** Lines of server-sent events until the stream or `signal` ends. */
export async function listen(
  onOpen: () => void,
  onData: (data: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const response = await fetch('/api/live', { headers: headers(), signal });
  if (!response.ok || response.body === null) await readAnswer(response);
  onOpen();
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const step = await reader?.read();
    if (step === undefined || step.done) return;
    const lines = `${rest}${step.value}`.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line.startsWith('data: ')) onData(line.slice('data: '.length));
  }
}
