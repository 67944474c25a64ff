import type {
  ClientCapabilities,
  CompletionItem,
  Hover,
  LanguageService,
  Position,
} from 'vscode-json-languageservice';
import { TextDocument } from 'vscode-languageserver-textdocument';
import type { PlainObject } from '../../shared/plain-object.js';
import { makeSchema, type SchemaName } from './list-schemas.js';

/** Completion and hover of the JSON schema. */
export interface JsonHelp {
  readonly complete: (
    text: string,
    schema: SchemaName,
    position: Position,
  ) => Promise<readonly CompletionItem[]>;
  readonly hover: (text: string, schema: SchemaName, position: Position) => Promise<Hover | null>;
}

/**
 * Uses the JSON language service, loaded on first use. It selects schemas by URL, so each text is opened under the
 * URL of its schema.
 */
export function createJsonHelp(clientCapabilities: ClientCapabilities): JsonHelp {
  let loading: Promise<LanguageService> | undefined;
  const known = new Map<SchemaName, PlainObject>();
  const prepare = async (name: SchemaName): Promise<LanguageService> => {
    loading ??= import('vscode-json-languageservice').then(({ getLanguageService }) =>
      getLanguageService({ clientCapabilities }),
    );
    const service = await loading;
    if (!known.has(name)) {
      known.set(name, await makeSchema(name));
      const schemas = [...known].map(([one, schema]) => ({
        uri: `iml://schemas/${one}`,
        fileMatch: [writeAddress(one)],
        schema: { ...schema },
      }));
      service.configure({ validate: false, allowComments: true, schemas });
    }
    return service;
  };
  const open = async (
    text: string,
    name: SchemaName,
  ): Promise<{ service: LanguageService; document: TextDocument }> => ({
    service: await prepare(name),
    document: TextDocument.create(writeAddress(name), 'jsonc', 1, text),
  });
  return {
    complete: async (text, name, position) => {
      const { service, document } = await open(text, name);
      const parsed = service.parseJSONDocument(document);
      return (await service.doComplete(document, position, parsed))?.items ?? [];
    },
    hover: async (text, name, position) => {
      const { service, document } = await open(text, name);
      return service.doHover(document, position, service.parseJSONDocument(document));
    },
  };
}

function writeAddress(name: SchemaName): string {
  return `file:///iml/${name}.jsonc`;
}
