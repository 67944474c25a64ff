import { existsSync } from 'node:fs';
import path from 'node:path';
import { createFolderWriter, relativePath } from '../../shared/files.js';
import { type Arguments, EXIT, readVersion, usageError } from './command.js';
import type { Io } from './io.js';
import { findAppFolder, locateApp } from './open-app.js';
import { readIfThere, refuseWrite } from './output/output-file.js';

const GITLAB_FILE = '.gitlab-ci.yml';
const GITLAB_INCLUDE = 'include:\n  - local: .gitlab/iml.yml\n';

/** Writes the workflow of a CI service to the root of the repository, or the current folder. Overwrites no file. */
export async function initCi(args: Arguments, io: Io): Promise<number> {
  const [, service, target, extra] = args.positionals;
  if (extra !== undefined) throw usageError(`Unexpected argument "${extra}".`);
  if (service !== 'github' && service !== 'gitlab') {
    throw usageError(`init ci: expected github or gitlab; got "${service ?? ''}".`);
  }
  const { folder } = await locateApp(await findAppFolder(target, io), io);
  const root = findRepository(folder) ?? io.cwd;
  const app = relativePath(root, folder) || '.';
  // The name becomes part of YAML and of a shell command.
  if (!/^(?!-)[\w./-]+$/.test(app) || app.startsWith('../')) {
    throw usageError(
      `init ci: the folder "${app}" has characters other than letters, digits, ".", "_", "-" and "/", or is outside of ${root}.`,
    );
  }
  const isLocked = locksPackage(root);
  const branch = defaultBranch(root);
  const files =
    service === 'github'
      ? { '.github/workflows/iml.yml': githubWorkflow({ app, isLocked, branch }) }
      : { '.gitlab/iml.yml': gitlabJob(app, isLocked), [GITLAB_FILE]: GITLAB_INCLUDE };
  for (const [file, content] of Object.entries(files)) await put({ root, file, content }, io);
  const version = isLocked ? 'that of package-lock.json' : `${readVersion()}, fetched by the job`;
  const pushes = service === 'github' ? branch : 'the default branch';
  const requests = service === 'github' ? 'pull' : 'merge';
  await io.stderr.write(
    `The job runs for ${requests} requests and for pushes to ${pushes}. Version of iml-runtime: ${version}.\n`,
  );
  return EXIT.ok;
}

/** Whether the lock file of the repository has this package. */
function locksPackage(root: string): boolean {
  return (readIfThere(path.join(root, 'package-lock.json')) ?? '').includes('"node_modules/iml-runtime"');
}

/** The default branch of the remote, else the current one, else `main`. */
function defaultBranch(root: string): string {
  const heads = ['.git/refs/remotes/origin/HEAD', '.git/HEAD'].map((file) => {
    const head = readIfThere(path.join(root, file)) ?? '';
    return /^ref: refs\/(?:remotes\/origin|heads)\/([\w./-]+)\n$/.exec(head)?.[1];
  });
  return heads.find((name) => name !== undefined) ?? 'main';
}

function findRepository(folder: string): string | undefined {
  if (existsSync(path.join(folder, '.git'))) return folder;
  const above = path.dirname(folder);
  return above === folder ? undefined : findRepository(above);
}

/** @throws EngineError (USAGE) if the file has other content, or cannot be written */
async function put(
  { root, file, content }: { readonly root: string; readonly file: string; readonly content: string },
  io: Io,
): Promise<void> {
  const at = path.join(root, file);
  const existing = readIfThere(at);
  if (existing !== undefined && existing !== content) {
    if (file !== GITLAB_FILE) throw usageError(`init ci: "${file}" already exists. It was left as it is.`);
    if (!existing.includes('.gitlab/iml.yml')) await io.stderr.write(`Add to ${file}:\n\n${content}`);
    return;
  }
  if (existing === content) return;
  await createFolderWriter(root).create(at, content).catch(refuseWrite('init ci', file));
  await io.stdout.write(`${file}\n`);
}

function githubWorkflow({
  app,
  isLocked,
  branch,
}: {
  readonly app: string;
  readonly isLocked: boolean;
  readonly branch: string;
}): string {
  const version = readVersion();
  return `name: iml

on:
  push:
    branches: ['${branch}']
  pull_request:

permissions:
  contents: read
  # The comparison is a comment of the pull request.
  pull-requests: write

jobs:
  iml:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-node@v4
        with:
          node-version: 24
${isLocked ? '      - run: npm ci\n' : ''}      - uses: iml-runtime/iml-runtime/.github/actions/iml@v${version}
        with:
          app: ${app}
          version: ${version}
`;
}

function gitlabJob(app: string, isLocked: boolean): string {
  const [install, iml] = isLocked
    ? ['npm ci', 'npx --no iml']
    : [`npm install --global iml-runtime@${readVersion()}`, 'iml'];
  return `iml:
  image: node:24
  rules:
    - if: $CI_PIPELINE_SOURCE == "merge_request_event"
    - if: $CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH
  script:
    - ${install}
    - failed=0
    - ${iml} check ./${app} || failed=1
    - ${iml} check ./${app} --format sarif --fail-on never > iml.sarif
    - ${iml} test ./${app} --reporter human --reporter junit=iml-junit.xml || failed=1
    - |
      if [ -n "$CI_MERGE_REQUEST_DIFF_BASE_SHA" ]; then
        git fetch --quiet --depth=1 origin "$CI_MERGE_REQUEST_DIFF_BASE_SHA"
        ${iml} diff "$CI_MERGE_REQUEST_DIFF_BASE_SHA:./${app}" ./${app} \\
          --format markdown --fail-on breaking > iml-diff.md || failed=1
        cat iml-diff.md
      fi
    - exit $failed
  artifacts:
    when: always
    paths: [iml.sarif, iml-diff.md]
    reports:
      junit: iml-junit.xml
`;
}
