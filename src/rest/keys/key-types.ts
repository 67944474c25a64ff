/** One field of a form. Source: https://developers.make.com/api-documentation (Key type, parameter descriptor). [seed] */
export interface ParameterDescriptor {
  readonly name: string;
  readonly label: string;
  readonly type: 'text' | 'password' | 'select' | 'pkey' | 'cert' | 'boolean';
  readonly required: boolean;
  readonly default?: string | boolean;
  readonly help?: string;
  readonly multiline?: boolean;
  readonly options?: readonly ParameterOption[];
}

export interface ParameterOption {
  readonly label: string;
  readonly value: string;
  /** Fields that apply when this option is chosen. */
  readonly nested?: readonly ParameterDescriptor[];
}

export interface KeyType {
  readonly name: string;
  readonly label: string;
  readonly parameters: readonly ParameterDescriptor[];
  readonly componentType: 'key';
  readonly author: string;
  readonly version: string;
  /** Colour; a key has the theme of its type. */
  readonly theme: string;
  readonly icon: string;
}

/** Names a list of keys can be filtered by. Source: https://developers.make.com/api-documentation (keys). [doc] */
export const KEY_TYPE_NAMES = [
  'aes-key',
  'apikeyauth',
  'apn',
  'basicauth',
  'clientcertauth',
  'eet',
  'gpg-private',
  'gpg-public',
  'webpay',
] as const;

function keyType(
  name: string,
  { label, version, theme }: Pick<KeyType, 'label' | 'version' | 'theme'>,
  parameters: readonly ParameterDescriptor[],
): KeyType {
  const icon = `/img/packages/${name}.png`;
  return { name, label, parameters, componentType: 'key', author: 'make', version, theme, icon };
}

/**
 * Types with known parameters; the parameters of other names are not published. Source:
 * https://developers.make.com/api-documentation (table of key types) [seed]; versions, themes and icons
 * https://developers.make.com/api-documentation (keys) [src].
 */
export const KEY_TYPES: readonly KeyType[] = [
  keyType('aes-key', { label: 'AES', version: '3.0.12', theme: '#fa6f57' }, [
    { name: 'key', label: 'Key', type: 'text', required: true },
    {
      name: 'keyEncoding',
      label: 'Key encoding',
      type: 'select',
      required: true,
      default: 'hex',
      options: [
        { label: 'Base64', value: 'base64' },
        { label: 'Hex', value: 'hex' },
        { label: 'Plain', value: 'plain' },
      ],
    },
  ]),
  keyType('apikeyauth', { label: 'API Key Auth', version: '3.31.4', theme: '#007ee5' }, [
    { name: 'key', label: 'Key', type: 'password', required: true },
    {
      name: 'placement',
      label: 'API key placement',
      type: 'select',
      required: true,
      default: 'header',
      options: [
        { label: 'In the header', value: 'header' },
        { label: 'In the query string', value: 'qs' },
      ],
    },
    {
      name: 'name',
      label: 'API key parameter name',
      type: 'text',
      required: true,
      default: 'X-API-Key',
      help: 'Name of the API key parameter.',
    },
  ]),
  keyType('apn', { label: 'Apple Push Notifications', version: '1.1.6', theme: '#666666' }, [
    { name: 'privateKey', label: 'Private key', type: 'pkey', required: true, multiline: true },
    {
      name: 'method',
      label: 'Method',
      type: 'select',
      required: false,
      default: 'tokens',
      options: [
        {
          label: 'Tokens',
          value: 'tokens',
          nested: [
            { name: 'keyId', label: 'Key ID', type: 'text', required: true },
            { name: 'teamId', label: 'Team ID', type: 'text', required: true },
          ],
        },
        {
          label: 'Certificate',
          value: 'cert',
          nested: [
            { name: 'certificate', label: 'Certificate', type: 'cert', required: true, multiline: true },
          ],
        },
      ],
    },
    { name: 'production', label: 'Production', type: 'boolean', required: true, default: false },
  ]),
  keyType('basicauth', { label: 'HTTP Basic Auth', version: '3.31.4', theme: '#007ee5' }, [
    { name: 'authUser', label: 'User name', type: 'text', required: false },
    { name: 'authPass', label: 'Password', type: 'password', required: false },
  ]),
];

export function keyTypeByName(name: string): KeyType | undefined {
  return KEY_TYPES.find((type) => type.name === name);
}
