import { writeApp } from '../app/temp-app.js';
import { oidcParts } from '../connection/oidc-app.js';

/** A folder with an app of two connections: `account` of the provider at `issuer`, and the key connection `key`. */
export function writeConnectApp(
  issuer: string,
  keyCommunication: unknown = { url: `${issuer}/key` },
): string {
  const { account } = oidcParts(issuer).connections ?? {};
  const { whoAmI } = oidcParts(issuer).modules ?? {};
  const files = {
    'account/communication.iml.json': account?.communication,
    'account/common.json': account?.common,
    'account/default-scope.json': account?.defaultScope,
    'key/communication.iml.json': keyCommunication,
    'key/params.iml.json': [
      { name: 'about', type: 'banner', text: 'Find your key in the settings.' },
      {
        name: 'apiKey',
        label: 'Key',
        type: 'password',
        required: true,
        help: 'Settings, then API keys.',
      },
      {
        name: 'region',
        label: 'Region',
        type: 'select',
        default: 'eu',
        options: [
          { label: 'Europe', value: 'eu' },
          { label: 'Own', value: 'own', nested: [{ name: 'host', type: 'text', required: true }] },
        ],
      },
      { name: 'limit', type: 'uinteger', visible: "{{parameters.host != 'small'}}" },
      { name: 'never', type: 'text', required: true, visible: '{{parameters.region == "moon"}}' },
      { name: 'extra', type: 'text', advanced: true },
    ],
    'who/communication.iml.json': whoAmI?.communication,
    'who/scope.json': whoAmI?.scope,
  };
  const codeFiles = (folder: string, ...names: readonly (readonly [string, string])[]): object =>
    Object.fromEntries(names.map(([key, file]) => [key, `${folder}/${file}`]));
  const components = {
    connection: {
      account: {
        label: 'Account',
        connectionType: 'oauth',
        codeFiles: codeFiles(
          'account',
          ['communication', 'communication.iml.json'],
          ['common', 'common.json'],
          ['defaultScope', 'default-scope.json'],
        ),
      },
      key: {
        label: 'Key',
        connectionType: 'basic',
        codeFiles: codeFiles(
          'key',
          ['communication', 'communication.iml.json'],
          ['params', 'params.iml.json'],
        ),
      },
    },
    module: {
      whoAmI: {
        label: 'Who am I',
        moduleType: 'action',
        connection: 'account',
        codeFiles: codeFiles('who', ['communication', 'communication.iml.json'], ['scope', 'scope.json']),
      },
    },
  };
  return writeApp({ 'makecomapp.json': { fileVersion: 1, generalCodeFiles: {}, components }, ...files });
}
