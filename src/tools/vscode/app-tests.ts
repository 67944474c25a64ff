import path from 'node:path';
import {
  type CancellationToken,
  Disposable,
  Location,
  Position,
  RelativePattern,
  type TestController,
  type TestItem,
  type TestItemCollection,
  TestMessage,
  type TestRun,
  TestRunProfileKind,
  type TestRunRequest,
  tests,
  Uri,
  workspace,
} from 'vscode';
import { relativePath } from '../../shared/files.js';
import { describeFailure, type ReportedFailure, type ReportedTest, readReport } from './test-report.js';
import { findCommand, listApps, readOutput, showPath, start } from './workspace.js';

const CASES = 'tests/**/*.test.{json,jsonc}';
const FUNCTION_TESTS = 'functions/*/*.test.js';

/**
 * Shows the tests of the apps of a workspace in the Test view: apps, their files, and the tests of each file of a custom
 * function, whose names are known after a run.
 */
export function showTests(): Disposable {
  const controller = tests.createTestController('iml', 'IML');
  const discover = (): Promise<void> => discoverTests(controller);
  controller.resolveHandler = (item) => (item === undefined ? discover() : undefined);
  controller.refreshHandler = discover;
  const profile = controller.createRunProfile(
    'Run',
    TestRunProfileKind.Run,
    (request, token) => runTests(controller, request, token),
    true,
  );
  const watcher = workspace.createFileSystemWatcher(
    '**/{*.test.json,*.test.jsonc,*.test.js,makecomapp.json}',
  );
  watcher.onDidCreate(discover);
  watcher.onDidDelete(discover);
  return Disposable.from(controller, profile, watcher);
}

async function discoverTests(controller: TestController): Promise<void> {
  const apps = await Promise.all((await listApps()).map((root) => createApp(controller, root)));
  controller.items.replace(apps.filter(({ children }) => children.size > 0));
}

async function createApp(controller: TestController, root: string): Promise<TestItem> {
  const uri = Uri.file(root);
  const item = controller.createTestItem(root, showPath(uri), uri);
  // As `iml test` finds them: cases of an app in `src` may be beside it.
  const caseFolders = path.basename(root) === 'src' ? [root, path.dirname(root)] : [root];
  const patterns = [
    ...caseFolders.map((folder) => [folder, CASES] as const),
    [root, FUNCTION_TESTS] as const,
  ];
  const found = await Promise.all(
    patterns.map(([folder, pattern]) => workspace.findFiles(new RelativePattern(Uri.file(folder), pattern))),
  );
  for (const file of found.flat().sort((a, b) => a.fsPath.localeCompare(b.fsPath))) {
    item.children.add(controller.createTestItem(file.fsPath, labelFile(root, file.fsPath), file));
  }
  return item;
}

/** `listOrders/paging` for a case, as `iml test` names it; `removeEmpty` for the tests of a function. */
function labelFile(root: string, file: string): string {
  const steps = relativePath(root, file)
    .split('/')
    .filter((step) => step !== '..')
    .slice(1);
  return steps
    .join('/')
    .replace(/\.test\.(?:jsonc?|js)$/, '')
    .replace(/^([^/]+)\/\1$/, '$1');
}

async function runTests(
  controller: TestController,
  request: TestRunRequest,
  token: CancellationToken,
): Promise<void> {
  const run = controller.createTestRun(request);
  const stop = new AbortController();
  const cancelled = token.onCancellationRequested(() => stop.abort());
  try {
    for (const [app, files] of chooseFiles(controller, request)) {
      if (token.isCancellationRequested) break;
      await runApp(controller, run, { app, files, signal: stop.signal });
    }
  } finally {
    cancelled.dispose();
    run.end();
  }
}

/** The files to run, by app. A test of a function runs with its file. */
function chooseFiles(controller: TestController, request: TestRunRequest): Map<TestItem, Set<TestItem>> {
  const chosen = new Map<TestItem, Set<TestItem>>();
  for (const item of request.include ?? listItems(controller.items)) {
    const [app = item, file] = pathTo(item);
    const files = chosen.get(app) ?? new Set();
    for (const one of file === undefined ? listItems(app.children) : [file]) files.add(one);
    chosen.set(app, files);
  }
  for (const item of request.exclude ?? []) {
    const [app = item, file] = pathTo(item);
    if (file === undefined) chosen.delete(app);
    else if (file === item) chosen.get(app)?.delete(file);
  }
  return chosen;
}

/** The items from the app down to an item. */
function pathTo(item: TestItem): readonly TestItem[] {
  return item.parent === undefined ? [item] : [...pathTo(item.parent), item];
}

function listItems(items: TestItemCollection): readonly TestItem[] {
  return [...items].map(([, item]) => item);
}

interface AppRun {
  readonly app: TestItem;
  readonly files: ReadonlySet<TestItem>;
  readonly signal: AbortSignal;
}

async function runApp(
  controller: TestController,
  run: TestRun,
  { app, files, signal }: AppRun,
): Promise<void> {
  if (files.size === 0) return;
  const paths = files.size === app.children.size ? [] : [...files].map(({ id }) => relativePath(app.id, id));
  const args = [
    'test',
    ...(paths.length === 0 ? ['.'] : paths),
    '--reporter',
    'json',
    '--trace-files',
    'off',
  ];
  const command = await findCommand([app.id], args);
  if (command === undefined) return;
  for (const file of files) run.started(file);
  const { out, err } = await readOutput(start(command, { cwd: app.id, signal }));
  if (signal.aborted) return;
  run.appendOutput(err.replaceAll('\n', '\r\n'));
  const report = readReport(out);
  if (report === undefined) {
    const message = new TestMessage(err.trim() || 'iml test ended without a report.');
    for (const file of files) run.errored(file, message);
    return;
  }
  for (const test of report.tests) reportTest(run, findItem(controller, app, test), test, app.id);
}

/** The item of a result. Creates it for tests of functions and for files that are new. */
function findItem(controller: TestController, app: TestItem, { kind, name, file }: ReportedTest): TestItem {
  if (kind === 'app') return app;
  const target = path.resolve(app.id, file);
  const uri = Uri.file(target);
  const ensure = (items: TestItemCollection, id: string, label: string): TestItem => {
    const item = items.get(id) ?? controller.createTestItem(id, label, uri);
    items.add(item);
    return item;
  };
  const item = ensure(app.children, target, labelFile(app.id, target));
  return kind === 'case' ? item : ensure(item.children, `${target}#${name}`, name);
}

function reportTest(run: TestRun, item: TestItem, test: ReportedTest, root: string): void {
  for (const note of test.notes ?? []) {
    run.appendOutput(`${note.replaceAll('\n', '\r\n')}\r\n`, undefined, item);
  }
  const messages = test.failures.map((failure) => createMessage(failure, root));
  if (test.status === 'passed') run.passed(item, test.durationMs);
  else if (test.status !== 'failed') run.skipped(item);
  else if (test.kind === 'app') run.errored(item, messages, test.durationMs);
  else run.failed(item, messages, test.durationMs);
}

function createMessage(failure: ReportedFailure, root: string): TestMessage {
  const text = describeFailure(failure);
  const message =
    'expected' in failure || 'got' in failure
      ? TestMessage.diff(text, showValue(failure.expected), showValue(failure.got))
      : new TestMessage(text);
  const { file, line = 1, column = 1 } = failure.place;
  if (file !== undefined) {
    const position = new Position(line - 1, column - 1);
    message.location = new Location(Uri.file(path.resolve(root, file)), position);
  }
  return message;
}

function showValue(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? 'nothing');
}
