import { editJson } from '../../document/reading/edit-json.js';
import type { ReadCase } from '../cases/read-case.js';
import type { FixtureReport } from '../fixtures/play-fixture.js';
import { isInBodyFile } from './edit-request.js';

/** A file of `<case>.bodies/`. */
export interface UpdatedBody {
  readonly name: string;
  readonly before: Uint8Array;
  readonly after: Uint8Array;
}

/**
 * The body files of requests as they have to be for the requests that were sent: JSON is changed where it differs, text and
 * bytes as a whole.
 *
 * @param restore puts placeholders where a value has what stands for secrets
 * @param left gets what cannot be changed
 */
export function updateBodies(
  read: ReadCase,
  { exchanges }: FixtureReport,
  restore: (value: unknown) => unknown,
  left: string[],
): readonly UpdatedBody[] {
  const files = new Map<string, UpdatedBody>();
  const written = read.written.exchanges ?? [];
  for (const { kind, exchange, differences } of exchanges) {
    const request = exchange === undefined ? undefined : written[exchange]?.request;
    const name = request?.bodyFile;
    if (kind !== 'unmatched' || name === undefined) continue;
    const inFile = differences.filter(({ path }) => isInBodyFile(request ?? {}, path));
    const before = read.bodyFiles.get(name);
    if (inFile.length === 0 || before === undefined) continue;
    const users = written.filter((other) =>
      [other.request?.bodyFile, other.response?.bodyFile].includes(name),
    );
    if (users.length > 1) {
      left.push(`The body in ${name} is another one now, and ${users.length} exchanges share the file.`);
      continue;
    }
    const after = inFile.reduce((content, { path: [member, ...path], got }) => {
      const value = restore(got);
      if (member === 'bodyBase64') return Buffer.from(String(value ?? ''), 'base64');
      const text =
        member === 'body' && path.length > 0
          ? editJson(Buffer.from(content).toString('utf8'), [{ path, value }])
          : member === 'body'
            ? `${JSON.stringify(value ?? null, undefined, 2)}\n`
            : String(value ?? '');
      return Buffer.from(text, 'utf8');
    }, before);
    files.set(name, { name, before, after });
  }
  return [...files.values()];
}
