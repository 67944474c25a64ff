import {
  CODE_TYPES,
  COMPONENT_KINDS,
  type CodeType,
  type ComponentKind,
  GENERAL_CODE_TYPES,
} from '../assembling/code-types.js';
import {
  CONNECTION_TYPE_NAMES,
  CRUD_KINDS,
  MODULE_TYPES,
  WEBHOOK_TYPES,
} from '../assembling/component-types.js';
import { ENDPOINT_HINTS } from '../document/app.js';
import { ANYTHING, described, type KeyShape, only, type Shape } from '../document/shape.js';

const WORD: KeyShape = { types: ['string'] };

const HINTS: Shape = {
  title: 'annotations of an endpoint',
  isOpen: true,
  keys: Object.fromEntries(
    ENDPOINT_HINTS.map((name) => [name, described('true or false.', { types: ['boolean'] })]),
  ),
};

/** Metadata of a component. Source: https://github.com/integromat/vscode-apps-sdk#readme (makecomapp.json). [src] */
const RECORD_KEYS: Readonly<Record<string, KeyShape>> = {
  label: described('Label of the component.', WORD),
  description: described('Description of the component.', WORD),
  connectionType: described('Type of the connection.', WORD, [...CONNECTION_TYPE_NAMES.keys()]),
  webhookType: described('`web`: an address for each user; `web-shared`: one for all.', WORD, WEBHOOK_TYPES),
  moduleType: described('Type of the module.', WORD, MODULE_TYPES),
  moduleSubtype: described('The old name of moduleType.', WORD, MODULE_TYPES),
  actionCrud: described('CRUD type of an action.', WORD, CRUD_KINDS),
  connection: described('Name of the connection it runs with.', WORD),
  altConnection: described('Name of a second connection that a user may choose.', WORD),
  webhook: described('Name of the webhook of an instant trigger.', WORD),
  annotations: described('Hints of an endpoint for AI callers.', only(HINTS)),
  attachedAccounts: described('Names of the connections that an endpoint may use.'),
};

function recordShape(kind: ComponentKind): Shape {
  return {
    title: `a ${kind}`,
    required: ['codeFiles'],
    keys: {
      codeFiles: described('Its files.', only(filesShape(`files of a ${kind}`, CODE_TYPES[kind]))),
      ...RECORD_KEYS,
    },
  };
}

function filesShape(title: string, types: Readonly<Record<string, CodeType>>): Shape {
  const about = (name: string, { part }: CodeType): KeyShape =>
    described(
      `Path of ${name}, from the manifest on; null where it is not kept here. As the editor names it: \`*.${part}.*\`.`,
      WORD,
    );
  return {
    title,
    keys: Object.fromEntries(Object.entries(types).map(([name, type]) => [name, about(name, type)])),
  };
}

const NAMED = /^/;

/** Structure of a manifest. */
export const MANIFEST_SHAPE: Shape = {
  title: 'makecomapp.json',
  keys: {
    fileVersion: described('Version of the form of this file: 1.', { types: ['number'] }),
    generalCodeFiles: described(
      'Files of the app itself.',
      only(filesShape('files of the app', GENERAL_CODE_TYPES)),
    ),
    components: described(
      'The components of the app by kind, then by name.',
      only({
        title: 'components',
        keys: Object.fromEntries(
          COMPONENT_KINDS.map((kind): [string, KeyShape] => [
            kind,
            described(
              `The ${kind}s of the app by name.`,
              only({
                title: `${kind}s by name`,
                keys: {},
                pattern: { key: NAMED, rule: only(recordShape(kind)) },
              }),
            ),
          ]),
        ),
      }),
    ),
    origins: described('Where the app lives on the platform.', {
      types: ['array'],
      each: true,
      shape: {
        title: 'an origin',
        isOpen: true,
        keys: {
          label: described('Name in the editor.', WORD),
          baseUrl: described('Address of the API of the zone.', WORD),
          appId: described('Name of the app there.', WORD),
          appVersion: described('Version of the app there.', { types: ['number'] }),
          idMapping: described('Names of components there and here.', ANYTHING),
          apikeyFile: described('File of the API key; it stays out of the repository.', WORD),
        },
      },
    }),
  },
};

/** Keys of component records of all kinds. */
export const COMPONENT_KEYS: readonly string[] = ['codeFiles', ...Object.keys(RECORD_KEYS)];
