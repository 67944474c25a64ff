import path from 'node:path';
import { readDocument } from '../../engine/document/jsonc.js';
import { listFiles, openAppFolder } from '../../engine/loading/app-folder.js';
import { safeParseTemplate } from '../../language/syntax/parser.js';
import { readPath } from '../../language/syntax/walk-expression.js';
import { isPlainObject, ownMember, readAt } from '../../shared/plain-object.js';
import type { CheckedDocument } from '../check/subject/checked-document.js';
import type { SpecLocation } from '../check/subject/expression-site.js';
import { listRequests } from '../check/subject/walk-requests.js';

/** Folder of the cases, in or beside the app. */
const TEST_FOLDER = 'tests';

/** Maximum number of cases per component. [choice] */
const MAX_CASES = 20;

/** Response bodies in the test cases of a component. */
export async function readRecordedBodies(
  root: string,
  { owner }: CheckedDocument,
): Promise<readonly unknown[]> {
  if (owner === undefined) return [];
  const component = `${owner.kind}:${owner.name}`;
  const base = path.basename(root) === 'src' ? path.dirname(root) : root;
  const bodies: unknown[] = [];
  let cases = 0;
  for (const folder of new Set([path.join(root, TEST_FOLDER), path.join(base, TEST_FOLDER)])) {
    const files = listFiles(folder).filter(({ path: file }) => /\.test\.jsonc?$/.test(file));
    for (const { path: file } of files) {
      if (cases >= MAX_CASES) return bodies;
      const written = await readCase(folder, file);
      if (!isPlainObject(written) || !isOf(written, component)) continue;
      cases++;
      const exchanges = ownMember(written, 'exchanges');
      for (const exchange of Array.isArray(exchanges) ? (exchanges as unknown[]) : []) {
        const body = readAt(exchange, 'response', 'body');
        if (body !== undefined) bodies.push(body);
      }
    }
  }
  return bodies;
}

/** Invalid files are skipped. */
async function readCase(folder: string, file: string): Promise<unknown> {
  try {
    const text = await openAppFolder(folder).read(file, () => ({ file }));
    return text === undefined ? undefined : readDocument(text, file).value;
  } catch {
    return undefined;
  }
}

/** Whether a case tests a component: `module:getUser` or `{ type, name }`. */
function isOf(written: object, component: string): boolean {
  const named = ownMember(written, 'component');
  if (!isPlainObject(named)) return named === component;
  return `${String(ownMember(named, 'type'))}:${String(ownMember(named, 'name'))}` === component;
}

/** Items that `iterate` of the request selects in bodies. */
export function listRecordedItems(
  checked: CheckedDocument,
  { element, section }: SpecLocation,
  bodies: readonly unknown[],
): readonly unknown[] {
  const request = listRequests(checked).find((one) => one.element === element && one.section === section);
  const written = readAt(request?.value, 'response', 'iterate') ?? readAt(request?.value, 'iterate');
  const container = isPlainObject(written) ? ownMember(written, 'container') : written;
  if (typeof container !== 'string') return [];
  const parsed = safeParseTemplate(container.includes('{{') ? container : `{{${container}}}`);
  const [only] = parsed.ok ? parsed.template.parts : [];
  const path = only === undefined || typeof only === 'string' ? undefined : readPath(only);
  if (path?.root.name !== 'body') return [];
  return bodies.flatMap((body) => {
    let value = body;
    for (const { name } of path.members) {
      if (name === undefined) value = Array.isArray(value) ? value[0] : undefined;
      else value = readAt(value, name);
    }
    return Array.isArray(value) ? (value as unknown[]) : [];
  });
}
