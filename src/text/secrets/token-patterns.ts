// Token formats, as data. A pattern is a sequence of parts, matched greedily without backtracking, so that matching takes time
// linear in any text.

/** Set of bytes of a run. */
export type ByteSet = Uint8Array

/** A run of bytes of one set. */
export interface Stretch {
  of: ByteSet
  min: number
  /** Omitted at the end of a pattern: the run is unlimited. */
  max?: number
  /** Its first `min` bytes include a digit, an upper-case and a lower-case letter: a token rather than a word. */
  mixed?: true
}

export interface TokenPattern {
  /** Name shown in its place. */
  name: string
  /** The first is literal. A string stands for itself, a list for one of its strings, none of which is a prefix of another. */
  parts: readonly (string | readonly string[] | Stretch)[]
  /** Number of leading parts that are not redacted. */
  unredactedParts?: number
  /** Required after the match, and not redacted. */
  lookahead?: string
  /** Literals match in any case. */
  ignoreCase?: true
}

const set = (...ranges: string[]): ByteSet => {
  const bytes = new Uint8Array(256)
  for (const range of ranges) bytes.fill(1, range.charCodeAt(0), range.charCodeAt(range.length - 1) + 1)
  return bytes
}
const DIGITS = ['09']
const ALNUM = ['AZ', 'az', ...DIGITS]

const HEX = set('af', ...DIGITS)
const CAPITALS = set('AZ', ...DIGITS)
const LETTERS = set(...ALNUM)
const WORD = set(...ALNUM, '_')
const URL_SAFE = set(...ALNUM, '_', '-')
/** Without the padding, which need not be redacted. */
const BASE64 = set(...ALNUM, '+', '/')
const PATH = set(...ALNUM, '_', '-', '/')
const VALUE = set(...ALNUM, '_', '-', '.', '~', '%', '+', '/')
/** Characters of credentials in headers. */
const CREDENTIALS = set(...ALNUM, '_', '-', '.', '~', '+', '/', '=')
/** Between a name and its value, also if both are quoted, also in JSON. */
const BETWEEN = set(' ', ':', '=', '"', "'", '\\', '\t')
const BLANK = set(' ', '\t')
/** Before the @ of a URL. Other characters have to be percent-encoded there. */
const USER = set(...ALNUM, '!', '$&', '*.', ';', '=', '_', '~')
const PASSWORD = set(...ALNUM, '!', '#&', '*.', ':;', '=', '?', '[', ']_', '{~')
const COOKIE_NAME = set(...ALNUM, '_', '-', '.')
const COOKIES = set(...ALNUM, '_', '-', '.', '~', '+', '/', '=', '%', ';', ' ')
/** Lines of base64 in a file, in JSON, indented, quoted, numbered or in a diff. */
const ARMOUR = set(...ALNUM, '+', '/', '=', ' ', '\t', '\r', '\n', '\\', ':', ',', '.', '>', '|')
const DEK = set('AZ', '09', '-', ',')
/** Including escaped line ends in JSON. */
const LINE_END = ['\n', '\r\n', '\\n', '\\r\\n']

const KEYS = ['', 'RSA ', 'EC ', 'DSA ', 'OPENSSH ', 'ENCRYPTED '].map(kind => `${kind}PRIVATE KEY-----`)
const NAME_VALUE_SEPARATOR: Stretch = { of: BETWEEN, min: 1, max: 8 }
const MAX_CREDENTIAL_LENGTH = 256
const SECRET_PARAMETERS = [
  'token=',
  'access_token=',
  'auth_token=',
  'private_token=',
  'refresh_token=',
  'api_key=',
  'apikey=',
  'client_secret=',
  'password=',
  'signature=',
  'x-amz-security-token=',
  'x-amz-signature=',
  'x-goog-signature='
]

export const TOKEN_PATTERNS: readonly TokenPattern[] = [
  { name: 'GitHub token', parts: ['gh', ['p_', 'o_', 'u_', 's_', 'r_'], { of: LETTERS, min: 36 }] },
  { name: 'GitHub token', parts: ['github_pat_', { of: WORD, min: 22 }] },
  {
    name: 'GitLab token',
    parts: ['gl', ['pat', 'ptt', 'dt', 'rt', 'cbt', 'agent', 'soat', 'ft', 'imt'], '-', { of: URL_SAFE, min: 20 }]
  },
  { name: 'AWS access key', parts: [['AKIA', 'ASIA'], { of: CAPITALS, min: 16 }] },
  {
    name: 'AWS secret key',
    parts: ['secret', ['_access_key', 'accesskey'], NAME_VALUE_SEPARATOR, { of: BASE64, min: 40 }],
    unredactedParts: 3,
    ignoreCase: true
  },
  {
    name: 'AWS session token',
    parts: ['session_token', NAME_VALUE_SEPARATOR, { of: BASE64, min: 100 }],
    unredactedParts: 2,
    ignoreCase: true
  },
  { name: 'Google key', parts: ['AIza', { of: URL_SAFE, min: 35 }] },
  { name: 'Google token', parts: ['ya29.', { of: URL_SAFE, min: 20 }] },
  { name: 'Google client secret', parts: ['GOCSPX-', { of: URL_SAFE, min: 20 }] },
  {
    name: 'Slack token',
    parts: ['xox', ['a', 'b', 'e', 'o', 'p', 'r', 's'], ['-', '.'], { of: CREDENTIALS, min: 10 }]
  },
  { name: 'Slack token', parts: ['xapp-', { of: URL_SAFE, min: 10 }] },
  {
    name: 'Slack webhook',
    parts: ['hooks.slack.com/', ['services/', 'workflows/', 'triggers/'], { of: PATH, min: 20 }],
    unredactedParts: 2
  },
  {
    name: 'Discord webhook',
    parts: ['/api/webhooks/', { of: set(...DIGITS), min: 17, max: 20 }, '/', { of: URL_SAFE, min: 60 }],
    unredactedParts: 1
  },
  { name: 'Stripe key', parts: [['sk_', 'rk_'], ['live_', 'test_'], { of: LETTERS, min: 16 }] },
  { name: 'webhook secret', parts: ['whsec_', { of: BASE64, min: 20 }] },
  { name: 'Anthropic key', parts: ['sk-ant-', { of: URL_SAFE, min: 20 }] },
  { name: 'OpenAI key', parts: ['sk-', ['proj-', 'svcacct-', 'admin-', 'None-'], { of: URL_SAFE, min: 20 }] },
  { name: 'API key', parts: ['sk-or-v1-', { of: HEX, min: 32 }] },
  { name: 'API key', parts: ['sk-', { of: LETTERS, min: 32, mixed: true }] },
  { name: 'npm token', parts: ['npm_', { of: LETTERS, min: 36 }] },
  { name: 'PyPI token', parts: ['pypi-', { of: URL_SAFE, min: 50 }] },
  { name: 'Hugging Face token', parts: ['hf_', { of: LETTERS, min: 30 }] },
  { name: 'SendGrid key', parts: ['SG.', { of: URL_SAFE, min: 16, max: 32 }, '.', { of: URL_SAFE, min: 32 }] },
  { name: 'Twilio key', parts: ['SK', { of: HEX, min: 32 }] },
  { name: 'Docker token', parts: ['dckr_', ['pat_', 'oat_'], { of: URL_SAFE, min: 20 }] },
  { name: 'DigitalOcean token', parts: ['do', ['p', 'o', 'r'], '_v1_', { of: HEX, min: 64 }] },
  { name: 'Shopify token', parts: ['shp', ['at', 'ca', 'pa', 'ss'], '_', { of: set('AF', 'af', '09'), min: 32 }] },
  { name: 'Vault token', parts: ['hvs.', { of: URL_SAFE, min: 24 }] },
  { name: 'age key', parts: ['AGE-SECRET-KEY-1', { of: CAPITALS, min: 50 }] },
  {
    name: 'JSON web token',
    parts: [
      'eyJ',
      { of: URL_SAFE, min: 10, max: 1_024 },
      '.',
      'eyJ',
      { of: URL_SAFE, min: 4, max: 8_192 },
      '.',
      { of: URL_SAFE, min: 16 }
    ]
  },
  { name: 'private key', parts: ['BEGIN ', KEYS, { of: ARMOUR, min: 64 }], unredactedParts: 2 },
  { name: 'private key', parts: ['BEGIN PGP PRIVATE KEY BLOCK-----', { of: ARMOUR, min: 64 }], unredactedParts: 1 },
  {
    name: 'private key',
    parts: [
      'BEGIN ',
      KEYS,
      LINE_END,
      'Proc-Type: 4,ENCRYPTED',
      LINE_END,
      'DEK-Info: ',
      { of: DEK, min: 8, max: 80 },
      LINE_END,
      { of: ARMOUR, min: 64 }
    ],
    unredactedParts: 8
  },
  {
    name: 'credentials',
    parts: [
      'authorization',
      NAME_VALUE_SEPARATOR,
      ['bearer', 'basic', 'token', 'apikey', 'negotiate'],
      { of: BLANK, min: 1, max: 4 },
      { of: CREDENTIALS, min: 6 }
    ],
    unredactedParts: 4,
    ignoreCase: true
  },
  {
    name: 'API key',
    parts: [['x-api-key', 'private-token'], NAME_VALUE_SEPARATOR, { of: VALUE, min: 12 }],
    unredactedParts: 2,
    ignoreCase: true
  },
  {
    name: 'Azure key',
    parts: [['accountkey', 'sharedaccesskey'], NAME_VALUE_SEPARATOR, { of: BASE64, min: 32 }],
    unredactedParts: 2,
    ignoreCase: true
  },
  { name: 'signature', parts: [['&sig=', '?sig='], { of: VALUE, min: 32 }], unredactedParts: 1 },
  {
    name: 'credentials',
    parts: [['?', '&'], SECRET_PARAMETERS, { of: VALUE, min: 8 }],
    unredactedParts: 2,
    ignoreCase: true
  },
  {
    name: 'credentials',
    parts: ['cookie: ', { of: COOKIE_NAME, min: 1, max: 128 }, '=', { of: COOKIES, min: 4 }],
    unredactedParts: 1,
    ignoreCase: true
  },
  // Some hosts take a token as the name of a user, so every name is redacted.
  {
    name: 'credentials',
    parts: [['https://', 'http://'], { of: USER, min: 1, max: MAX_CREDENTIAL_LENGTH }],
    unredactedParts: 1,
    lookahead: '@',
    ignoreCase: true
  },
  {
    name: 'credentials',
    parts: [
      '://',
      { of: USER, min: 0, max: MAX_CREDENTIAL_LENGTH },
      ':',
      { of: PASSWORD, min: 1, max: MAX_CREDENTIAL_LENGTH }
    ],
    unredactedParts: 1,
    lookahead: '@'
  }
]
