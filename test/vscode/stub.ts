import { readdirSync } from 'node:fs';
import path from 'node:path';
import { URI } from 'vscode-uri';

type Listener = (event: unknown) => unknown;

/** An event of the API. `fire` waits for its listeners. */
interface StubEvent {
  readonly event: (listener: Listener, self?: unknown) => object;
  readonly fire: (event: unknown) => Promise<unknown>;
}

function createEvent(): StubEvent {
  const listeners = new Set<Listener>();
  return {
    event: (listener, self) => {
      const bound = listener.bind(self);
      listeners.add(bound);
      return { dispose: () => listeners.delete(bound) };
    },
    fire: (value) => Promise.all([...listeners].map((listener) => listener(value))),
  };
}

/** Whether a path matches a glob of `**`, `*` and `{a,b}` without nested braces. */
function matches(file: string, glob: string): boolean {
  const source = glob.replace(/\*\*\/|[*{},.+()]/g, (token) => {
    const known: Readonly<Record<string, string>> = {
      '**/': '(?:.*/)?',
      '*': '[^/]*',
      '{': '(?:',
      '}': ')',
      ',': '|',
    };
    return known[token] ?? `\\${token}`;
  });
  return new RegExp(`^${source}$`).test(file);
}

export class StubPosition {
  readonly line: number;
  readonly character: number;
  constructor(line: number, character: number) {
    this.line = line;
    this.character = character;
  }
}

class StubRange {
  readonly start: StubPosition;
  readonly end: StubPosition;
  constructor(startLine: number, startCharacter: number, endLine: number, endCharacter: number) {
    this.start = new StubPosition(startLine, startCharacter);
    this.end = new StubPosition(endLine, endCharacter);
  }
}

class StubLocation {
  readonly uri: URI;
  readonly range: StubPosition;
  constructor(uri: URI, range: StubPosition) {
    this.uri = uri;
    this.range = range;
  }
}

class StubMarkdown {
  readonly value: string;
  constructor(value = '') {
    this.value = value;
  }
  appendMarkdown(text: string): StubMarkdown {
    return new StubMarkdown(this.value + text);
  }
}

class StubHover {
  readonly contents: unknown;
  constructor(contents: unknown) {
    this.contents = contents;
  }
}

class StubDiagnostic {
  readonly range: StubRange;
  readonly message: string;
  readonly severity: number;
  constructor(range: StubRange, message: string, severity: number) {
    this.range = range;
    this.message = message;
    this.severity = severity;
  }
}

export class StubTestMessage {
  location: StubLocation | undefined;
  expectedOutput: string | undefined;
  actualOutput: string | undefined;
  readonly message: string;
  constructor(message: string) {
    this.message = message;
  }
  static diff(message: string, expected: string, actual: string): StubTestMessage {
    return Object.assign(new StubTestMessage(message), { expectedOutput: expected, actualOutput: actual });
  }
}

class StubDisposable {
  readonly dispose: () => unknown;
  constructor(dispose: () => unknown) {
    this.dispose = dispose;
  }
  static from(...all: readonly { readonly dispose: () => unknown }[]): StubDisposable {
    return new StubDisposable(() => all.map((one) => one.dispose()));
  }
}

class StubEventEmitter {
  #event = createEvent();
  readonly event = this.#event.event;
  readonly fire = this.#event.fire;
  dispose(): void {}
}

class StubTokenSource {
  readonly token = { isCancellationRequested: false, onCancellationRequested: createEvent().event };
  dispose(): void {}
}

export class StubItem {
  readonly children: StubItems = new StubItems(this);
  parent: StubItem | undefined;
  readonly id: string;
  readonly label: string;
  readonly uri: URI | undefined;
  constructor(id: string, label: string, uri: URI | undefined) {
    this.id = id;
    this.label = label;
    this.uri = uri;
  }
}

/** A collection of test items. */
export class StubItems {
  readonly #items = new Map<string, StubItem>();
  readonly #parent: StubItem | undefined;
  constructor(parent?: StubItem) {
    this.#parent = parent;
  }
  get size(): number {
    return this.#items.size;
  }
  get(id: string): StubItem | undefined {
    return this.#items.get(id);
  }
  add(item: StubItem): void {
    item.parent = this.#parent;
    this.#items.set(item.id, item);
  }
  replace(items: readonly StubItem[]): void {
    this.#items.clear();
    for (const item of items) this.add(item);
  }
  [Symbol.iterator](): Iterator<[string, StubItem]> {
    return this.#items[Symbol.iterator]();
  }
}

/** What a run reported about an item. */
export interface Reported {
  readonly state: string;
  readonly label: string;
  readonly messages: readonly StubTestMessage[];
}

type RunHandler = (request: object, token: object) => Promise<void>;

export class StubController {
  readonly items: StubItems = new StubItems();
  readonly reported: Reported[] = [];
  output = '';
  resolveHandler: ((item?: StubItem) => Promise<void>) | undefined;
  refreshHandler: (() => Promise<void>) | undefined;
  run: RunHandler = () => Promise.reject(new Error('There is no profile.'));
  createTestItem(id: string, label: string, uri: URI): StubItem {
    return new StubItem(id, label, uri);
  }
  createRunProfile(_label: string, _kind: number, run: RunHandler): object {
    this.run = run;
    return { dispose: () => {} };
  }
  createTestRun(): object {
    const report =
      (state: string) =>
      ({ label }: StubItem, messages: unknown = []): void => {
        const listed = typeof messages === 'number' ? [] : [messages].flat();
        this.reported.push({ state, label, messages: listed as StubTestMessage[] });
      };
    return {
      started: report('started'),
      passed: report('passed'),
      failed: report('failed'),
      errored: report('errored'),
      skipped: report('skipped'),
      appendOutput: (text: string) => {
        this.output += text;
      },
      end: () => this.reported.push({ state: 'end', label: '', messages: [] }),
    };
  }
  dispose(): void {}
}

export interface StubOptions {
  readonly folder: string;
  readonly isTrusted?: boolean;
  /** Settings by full name. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** The button that a user chooses in every message. */
  readonly choice?: string;
}

/** The parts of the API of VS Code that the extension and its language client use, and what they did with it. */
export class VscodeStub {
  readonly commands: Map<string, (...args: readonly unknown[]) => unknown> = new Map();
  readonly messages: string[] = [];
  readonly opened: string[] = [];
  readonly executed: (readonly unknown[])[] = [];
  readonly terminals: { readonly shellArgs?: readonly string[] }[] = [];
  /** Registered providers by the name of the function: `registerHoverProvider`. */
  readonly providers: Map<string, readonly unknown[]> = new Map();
  readonly diagnostics: Map<string, readonly StubDiagnostic[]> = new Map();
  readonly controllers: StubController[] = [];
  log = '';
  readonly documents: object[] = [];
  readonly events: Readonly<Record<'opened' | 'trusted' | 'configured' | 'created', StubEvent>> = {
    opened: createEvent(),
    trusted: createEvent(),
    configured: createEvent(),
    created: createEvent(),
  };
  readonly subscriptions: { readonly dispose: () => unknown }[] = [];
  readonly api: object;

  constructor(options: StubOptions) {
    this.api = withDefaults({
      version: '1.82.0',
      Uri: URI,
      Position: StubPosition,
      Range: StubRange,
      Location: StubLocation,
      MarkdownString: StubMarkdown,
      Hover: StubHover,
      Diagnostic: StubDiagnostic,
      TestMessage: StubTestMessage,
      Disposable: StubDisposable,
      EventEmitter: StubEventEmitter,
      CancellationTokenSource: StubTokenSource,
      RelativePattern: class {
        readonly baseUri: URI;
        readonly pattern: string;
        constructor(baseUri: URI, pattern: string) {
          this.baseUri = baseUri;
          this.pattern = pattern;
        }
      },
      DiagnosticSeverity: { Error: 0, Warning: 1, Information: 2, Hint: 3 },
      TestRunProfileKind: { Run: 1 },
      CodeActionKind: withDefaults({ Empty: { value: '' }, QuickFix: { value: 'quickfix' } }),
      env: {
        language: 'en',
        appName: 'stub',
        openExternal: async (uri: URI) => this.opened.push(uri.toString(true)),
      },
      commands: {
        registerCommand: (name: string, run: () => unknown) => {
          this.commands.set(name, run);
          return { dispose: () => this.commands.delete(name) };
        },
        executeCommand: async (...call: readonly unknown[]) => this.executed.push(call),
      },
      tests: {
        createTestController: () => {
          const controller = new StubController();
          this.controllers.push(controller);
          return controller;
        },
      },
      languages: this.#createLanguages(),
      window: this.#createWindow(options),
      workspace: this.#createWorkspace(options),
    });
  }

  /** Opens a document, as a user does. */
  openDocument(file: string, languageId: string, text: string): object {
    const uri = URI.file(file);
    const document = { uri, languageId, version: 1, isDirty: false, isClosed: false, getText: () => text };
    this.documents.push(document);
    this.events.opened.fire(document);
    return document;
  }

  async dispose(): Promise<void> {
    for (const one of this.subscriptions.reverse()) await one.dispose();
  }

  #createLanguages(): object {
    const register = (name: string): unknown =>
      name.startsWith('register')
        ? (...args: readonly unknown[]) => {
            this.providers.set(name, args);
            return { dispose: () => this.providers.delete(name) };
          }
        : undefined;
    return new Proxy(
      {
        createDiagnosticCollection: () => ({
          set: (uri: URI, found: readonly StubDiagnostic[]) => this.diagnostics.set(uri.fsPath, found),
          delete: (uri: URI) => this.diagnostics.delete(uri.fsPath),
          clear: () => this.diagnostics.clear(),
          dispose: () => {},
        }),
        match: (
          selector: readonly { readonly language?: string; readonly pattern?: string }[],
          { languageId, uri }: { readonly languageId: string; readonly uri: URI },
        ) =>
          selector.some(({ language, pattern }) =>
            pattern === undefined ? language === languageId : matches(uri.path.slice(1), pattern),
          )
            ? 10
            : 0,
      },
      { get: (known, name) => Reflect.get(known, name) ?? register(String(name)) },
    );
  }

  #createWindow({ choice }: StubOptions): object {
    return {
      activeTextEditor: undefined,
      onDidChangeActiveTextEditor: createEvent().event,
      tabGroups: { all: [], onDidChangeTabs: createEvent().event },
      createOutputChannel: () => ({
        append: (text: string) => {
          this.log += text;
        },
        appendLine: (text: string) => {
          this.log += `${text}\n`;
        },
        show: () => {},
        dispose: () => {},
      }),
      showErrorMessage: async (message: string, ...buttons: readonly string[]) => {
        this.messages.push(message);
        return buttons.find((button) => button === choice);
      },
      showQuickPick: async (items: readonly unknown[]) => items[0],
      createTerminal: (terminal: object) => {
        this.terminals.push(terminal);
        return { show: () => {} };
      },
    };
  }

  #createWorkspace({ folder, isTrusted = true, settings = {} }: StubOptions): object {
    const uri = URI.file(folder);
    const known = {
      isTrusted,
      name: path.basename(folder),
      workspaceFolders: [{ uri, name: path.basename(folder), index: 0 }],
      textDocuments: this.documents,
      getWorkspaceFolder: () => ({ uri, name: path.basename(folder), index: 0 }),
      asRelativePath: (file: URI) => path.relative(folder, file.fsPath) || file.fsPath,
      getConfiguration: (section: string) => ({
        get: (name: string, fallback: unknown) => settings[`${section}.${name}`] ?? fallback,
      }),
      findFiles: async (
        pattern: string | { readonly baseUri: URI; readonly pattern: string },
        excluded?: string,
      ) => {
        const [root, glob] =
          typeof pattern === 'string' ? [folder, pattern] : [pattern.baseUri.fsPath, pattern.pattern];
        return listFiles(root)
          .filter((file) => matches(file, glob) && (excluded === undefined || !matches(file, `${excluded}*`)))
          .map((file) => URI.file(path.join(root, file)));
      },
      createFileSystemWatcher: () => ({
        onDidCreate: this.events.created.event,
        onDidChange: createEvent().event,
        onDidDelete: createEvent().event,
        dispose: () => {},
      }),
      onDidOpenTextDocument: this.events.opened.event,
      onDidGrantWorkspaceTrust: this.events.trusted.event,
      onDidChangeConfiguration: this.events.configured.event,
    };
    // Events that no test fires.
    return new Proxy(known, {
      get: (target, name) =>
        Reflect.get(target, name) ?? (/^on(?:Did|Will)/.test(String(name)) ? createEvent().event : undefined),
    });
  }
}

function listFiles(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)).split(path.sep).join('/'));
}

/** The language client extends classes and reads enumerations that no test looks at. */
function withDefaults(known: object): object {
  return new Proxy(known, {
    get: (target, name) => Reflect.get(target, name) ?? class {},
    has: () => true,
  });
}
