import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { COMPONENT_KINDS } from '../../../engine/loading/code-types.js';
import { MANIFEST } from '../../../engine/loading/read-manifest.js';
import { EngineError } from '../../../shared/errors/engine-error.js';
import { isPlainObject } from '../../../shared/plain-object.js';
import { readManifestText, recordsOf, withMember } from '../new-files.js';
import { planSync, pull, type SyncInput } from './sync.js';

/**
 * Writes the app of an API to a temporary folder, passes the folder to `use`, and deletes it. Components and files have
 * the names of the local manifest.
 *
 * @throws EngineError (USAGE) if a part cannot be read; errors of the API
 */
export async function withRemoteApp<T>(
  { manifest, index, api }: Omit<SyncInput, 'root'>,
  use: (folder: string) => Promise<T>,
): Promise<T> {
  const root = await mkdtemp(path.join(tmpdir(), 'iml-remote-'));
  try {
    await writeFile(path.join(root, MANIFEST), manifest.text);
    const plan = await planSync({ root, manifest, index, api });
    const { texts, members, newHere, newThere, deletedHere, deletedThere, all } = plan.comparison;
    const renamed = all.filter(({ status }) => status === 'renamed');
    const absent = [
      ...newHere,
      ...deletedThere.map(({ kind, local }) => ({ kind, name: local })),
      ...renamed.flatMap(({ kind, name }) => (kind === 'app' ? [] : [{ kind, name }])),
    ];
    const there = { status: 'changed there' as const };
    const { failures } = await pull(
      {
        ...plan,
        manifest: absent.reduce(
          (changed, { kind, name }) => withMember(changed, ['components', kind, name], undefined),
          manifest,
        ),
        comparison: {
          ...plan.comparison,
          newThere: [...newThere, ...deletedHere],
          texts: texts.map((text) => ({ ...text, ...there })),
          members: members.map((member) => ({ ...member, ...there })),
        },
      },
      { onConflict: 'replace', onWritten: async () => {} },
    );
    const [failure] = failures;
    if (failure !== undefined) {
      throw new EngineError('USAGE', `The app cannot be read from the API: ${failure}`);
    }
    await leaveOutEmpty(root);
    return await use(root);
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

/** A pull writes no file for an empty section, so the manifest must not name it. */
async function leaveOutEmpty(root: string): Promise<void> {
  const file = path.join(root, MANIFEST);
  const written = readManifestText(await readFile(file, 'utf8'));
  const missing = [
    ...listCodeFiles(written.value['generalCodeFiles'], ['generalCodeFiles']),
    ...COMPONENT_KINDS.flatMap((kind) =>
      [...recordsOf(written, kind)].flatMap(([name, record]) =>
        listCodeFiles(record?.['codeFiles'], ['components', kind, name, 'codeFiles']),
      ),
    ),
  ].filter(({ code }) => !existsSync(path.join(root, code)));
  const manifest = missing.reduce((changed, { at }) => withMember(changed, at, null), written);
  await writeFile(file, manifest.text);
}

interface CodeFile {
  readonly code: string;
  /** Path in the manifest. */
  readonly at: readonly string[];
}

function listCodeFiles(files: unknown, at: readonly string[]): readonly CodeFile[] {
  if (!isPlainObject(files)) return [];
  return Object.entries(files).flatMap(([name, code]) =>
    typeof code === 'string' ? [{ code, at: [...at, name] }] : [],
  );
}
