import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { MANIFEST } from '../../../engine/loading/read-manifest.js';
import { EngineError } from '../../../shared/errors/engine-error.js';
import { withMember } from '../new-files.js';
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
    return await use(root);
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}
