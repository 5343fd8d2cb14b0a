// Tests of redaction: secrets are masked at any position and chunking; all else stays unchanged, byte for byte.
// tier: quick
import fc from 'fast-check'
import t from 'tap'
import { SecretMatcher } from '../../../src/text/secrets/secret-matcher.ts'
import { redactSecrets, SecretRedactor } from '../../../src/text/secrets/secret-redactor.ts'
import { TOKEN_PATTERNS, type TokenPattern } from '../../../src/text/secrets/token-patterns.ts'
import { runs } from '../../support/property.ts'

const KNOWN = [
  { name: 'DB_PASSWORD', value: 'hunter2-hunter3' },
  { name: 'SIGNING_KEY', value: 'hunter2-hunter3-and-more' },
  { name: 'CERT', value: '-----BEGIN THING-----\nfirst line of it\r\nsecond line of it\n-----END THING-----\n' },
  { name: 'QUOTED', value: 'a "quoted\\value' },
  { name: 'LONG', value: Array.from({ length: 700 }, (_, i) => (i * i).toString(36)).join('.') },
  { name: 'SHORT', value: 'seven77' },
  { name: 'SPELLED', value: 'a/b (c) dé!' },
  { name: 'UNICODE', value: 'pässwörter☃' }
]
const secrets = new SecretMatcher(KNOWN)
const LINES = KNOWN.filter(({ name }) => name !== 'SHORT').flatMap(({ value }) =>
  value.split(/\r?\n/).filter(line => line !== '' && !line.startsWith('-----'))
)

const hidden = (text: string) => redactSecrets(text, secrets)
const repeated = (text: string, times: number) => text.repeat(times)
const A36 = repeated('aB3dE6', 6)

t.test('replaces each secret by its name, and keeps the text around it', async t => {
  const cases: [text: string, shown: string][] = [
    ['pw=hunter2-hunter3;', 'pw=[masked: DB_PASSWORD];'],
    ['pw=hunter2-hunter3-and-more', 'pw=[masked: SIGNING_KEY]'],
    ['hunter2-hunter3-and-less', '[masked: DB_PASSWORD]-and-less'],
    ['seven77', 'seven77'],
    ['-----BEGIN THING-----\r\nfirst line of it\r\n', '-----BEGIN THING-----\r\n[masked: CERT]\r\n'],
    [JSON.stringify({ a: 'a "quoted\\value' }), '{"a":"[masked: QUOTED]"}'],
    ['?p=a%20%22quoted%5Cvalue&', '?p=[masked: QUOTED]&'],
    ['{"a":"a/b (c) d\\u00e9!"}', '{"a":"[masked: SPELLED]"}'],
    ['{"a":"a\\/b (c) d\u00e9!"}', '{"a":"[masked: SPELLED]"}'],
    ['?p=a%2Fb+%28c%29+d%C3%A9%21&', '?p=[masked: SPELLED]&'],
    ['/a/b%20%28c%29%20d%C3%A9%21?', '/[masked: SPELLED]?'],
    ['?p=a%2fb%20%28c%29%20d%c3%a9%21&', '?p=[masked: SPELLED]&'],
    ['pässwörter☃.', '[masked: UNICODE].'],
    [`\u001b[32mghp_${A36}\u001b[0m`, '\u001b[32m[masked: GitHub token]\u001b[0m'],
    [`github_pat_${A36}_${A36}\n`, '[masked: GitHub token]\n'],
    [`glpat-${A36}, next`, '[masked: GitLab token], next'],
    [`id AKIA${repeated('A2', 8)}`, 'id [masked: AWS access key]'],
    [`AWS_SECRET_ACCESS_KEY=${A36}/+ab\n`, 'AWS_SECRET_ACCESS_KEY=[masked: AWS secret key]\n'],
    [`"SecretAccessKey": "${A36}/+ab"`, '"SecretAccessKey": "[masked: AWS secret key]"'],
    [`AIza${A36}`, '[masked: Google key]'],
    [`xoxb-${A36}`, '[masked: Slack token]'],
    [`https://hooks.slack.com/services/T1/B2/${A36}`, 'https://hooks.slack.com/services/[masked: Slack webhook]'],
    [`sk_live_${A36}`, '[masked: Stripe key]'],
    [`sk-ant-api03-${A36}-x`, '[masked: Anthropic key]'],
    [`sk-proj-${A36}_-x`, '[masked: OpenAI key]'],
    [`sk-${A36}`, '[masked: API key]'],
    [`npm_${A36}`, '[masked: npm token]'],
    [`hf_${A36}`, '[masked: Hugging Face token]'],
    [`SG.${A36.slice(0, 22)}.${A36}abcdefg`, '[masked: SendGrid key]'],
    [`SK${repeated('0af9', 8)}`, '[masked: Twilio key]'],
    [`eyJ${A36}.eyJ${A36}.${A36}`, '[masked: JSON web token]'],
    ['Authorization: Bearer abc.def-ghi', 'Authorization: Bearer [masked: credentials]'],
    ["-H 'authorization: basic dXNlcjpwYXNz'", "-H 'authorization: basic [masked: credentials]'"],
    ['{"Authorization":"Bearer abcdefgh"}', '{"Authorization":"Bearer [masked: credentials]"}'],
    ['git clone https://me:s3cret@example.com/x', 'git clone https://[masked: credentials]@example.com/x'],
    ['redis://:s3cret@example.com', 'redis://[masked: credentials]@example.com'],
    [`AccountName=x;AccountKey=${A36}==;`, 'AccountName=x;AccountKey=[masked: Azure key]==;'],
    [
      `-----BEGIN RSA PRIVATE KEY-----\n${repeated(`${A36}\n`, 8)}-----END RSA PRIVATE KEY-----\nafter`,
      '-----BEGIN RSA PRIVATE KEY-----[masked: private key]-----END RSA PRIVATE KEY-----\nafter'
    ],
    [
      `-----BEGIN EC PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0123ABCD\n\n${A36}\n${A36}\n-----END`,
      '-----BEGIN EC PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0123ABCD\n[masked: private key]-----END'
    ],
    [
      JSON.stringify({ key: `-----BEGIN PRIVATE KEY-----\n${A36}\n${A36}\n-----END` }),
      '{"key":"-----BEGIN PRIVATE KEY-----[masked: private key]-----END"}'
    ]
  ]
  for (const [text, shown] of cases) t.equal(hidden(text), shown)
})

t.test('keeps text that only looks like a secret', async t => {
  for (const text of [
    'http://localhost:3000/ and http://[::1]:80',
    'mailto://somebody@example.com',
    'git@example.com:me/x.git',
    'task-abcdefghijklmnopqrstuvwxyzabcdefghijklmnop',
    'npm_config_registry=https://registry.example.com',
    'Authorization is basic understanding',
    '-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE\n-----END PUBLIC KEY-----',
    "if (line === '-----BEGIN PRIVATE KEY-----') return 'this is a line of a program, not a key of anybody'",
    'BEGIN TRANSACTION; SELECT 1; COMMIT;',
    'a1b2c3d4e5f60718293a4b5c6d7e8f9001122334',
    '123e4567-e89b-12d3-a456-426614174000',
    'sha512-q2VWPU1f4iT0cvVfV2nJ7sPmmjSg9Pz8mXkl0pR3p1Wc4kz0vY7jB8aQ==',
    'secret_access_key is not set',
    'ghp_short and sk-short and SG.short.short and eyJhbGciOi'
  ])
    t.equal(hidden(text), text)
})

const cuts = fc.array(fc.nat({ max: 40 }), { minLength: 1, maxLength: 60 })

/** Returns the output for bytes in chunks of these lengths, in turn. */
function inPieces(bytes: Uint8Array, lengths: readonly number[], rest = false) {
  const masker = new SecretRedactor(secrets)
  const out: Uint8Array[] = []
  for (let at = 0, i = 0; at < bytes.length; i++) {
    const length = lengths[i % lengths.length]! + (i >= lengths.length ? 1 : 0)
    out.push(masker.push(bytes.subarray(at, at + length)))
    if (rest) out.push(masker.idle())
    at += length
  }
  return Buffer.concat([...out, masker.end()])
}

const letters = (of: Uint8Array) => [...of.keys()].filter(byte => of[byte] === 1).map(byte => String.fromCharCode(byte))

/** Returns a token of that shape, and the part that must be masked. */
function tokenOf({
  parts,
  unredactedParts = 0,
  lookahead = ''
}: TokenPattern): fc.Arbitrary<{ text: string; secret: string }> {
  const each = parts.map(part => {
    if (typeof part === 'string') return fc.constant(part)
    if (!('of' in part)) return fc.constantFrom(...part)
    const text = fc.string({
      unit: fc.constantFrom(...letters(part.of)),
      minLength: Math.max(part.min, 1),
      maxLength: Math.min(part.max ?? part.min + 30, part.min + 30)
    })
    return part.mixed ? text.map(rest => `aB3${rest}`) : text
  })
  return fc
    .tuple(...each)
    .map(texts => ({ text: texts.join('') + lookahead, secret: texts.slice(unredactedParts).join('') }))
}

const noise = fc.oneof(
  fc.string({ unit: fc.constantFrom('g', 'h', 'p', '_', 'e', 'y', 'J', '.', 's', 'k', '-', ':', '/', '\n', ' ', 'B') }),
  fc.constantFrom(
    'hunter2-',
    'hunter2-hunter',
    '://',
    'Authorization: Bearer ',
    'eyJ',
    '-----BEGIN ',
    'ä☃',
    'first line'
  )
)
const text = fc.array(
  fc.oneof(noise, fc.constantFrom(...LINES), ...TOKEN_PATTERNS.map(tokenOf).map(each => each.map(one => one.text)))
)

t.test('gives the same output for any chunking', async t => {
  fc.assert(
    fc.property(text, cuts, (texts, lengths) => {
      const bytes = Buffer.from(texts.join(''))
      return inPieces(bytes, lengths).equals(inPieces(bytes, [bytes.length]))
    }),
    runs(500)
  )
  t.pass()
})

t.test('shows no known value and no token, for any chunking', async t => {
  // Not after a header name: there it would be taken for its value.
  const apart = noise.filter(text => !text.endsWith('Bearer '))
  const token = fc.oneof(
    ...TOKEN_PATTERNS.map(tokenOf),
    fc.constantFrom(...LINES).map(line => ({ text: line, secret: line }))
  )
  fc.assert(
    fc.property(apart, token, noise, cuts, (before, { text, secret }, after, lengths) => {
      const bytes = Buffer.from(`${before} ${text} ${after}`)
      // A short one may occur in the noise too.
      return !inPieces(bytes, lengths).includes(secret.length >= 12 ? secret : ` ${text} `)
    }),
    runs(2_000)
  )
  t.pass()
})

t.test('shows no known value where output pauses', async t => {
  fc.assert(
    fc.property(text, cuts, (texts, lengths) => {
      const shown = inPieces(Buffer.from(texts.join('')), lengths, true)
      return LINES.every(line => !shown.includes(line))
    }),
    runs(500)
  )
  t.pass()
})

t.test('passes other bytes unchanged', async t => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 2_000 }), cuts, (bytes, lengths) =>
      inPieces(bytes, lengths).equals(Buffer.from(bytes))
    )
  )
  const text = Buffer.from('just a line, as they come all day\n'.repeat(100))
  const masker = new SecretRedactor(secrets)
  const shown = masker.push(text)
  t.same([shown.length, shown.byteOffset], [text.length, text.byteOffset])
  t.equal(shown.buffer, text.buffer, 'not even copied')
})

t.test('holds back a possible beginning, but no prompt', async t => {
  const masker = new SecretRedactor(secrets)
  const shown = (bytes: Uint8Array) => Buffer.from(bytes).toString()
  t.equal(shown(masker.push(Buffer.from('Token for https://me'))), 'Token for ')
  t.ok(masker.waiting)
  t.equal(shown(masker.idle()), 'https://me', 'what is no known value is shown when nothing comes')
  t.notOk(masker.waiting)
  t.equal(shown(masker.push(Buffer.from(':s3cret@x, hunter2-'))), '[masked: credentials]@x, ', 'and the rest is hidden')
  t.equal(shown(masker.idle()), '', 'a known value is not')
  t.equal(shown(masker.push(Buffer.from('hunter3 and hunter2'))), '[masked: DB_PASSWORD] and ')
  t.equal(shown(masker.end()), 'hunter2')

  const token = new SecretRedactor(secrets)
  token.push(Buffer.from(`https://ghp_${A36}`))
  t.equal(shown(token.idle()), 'https://', 'a whole token never shows')
})

t.test('a token extends over all its characters', async t => {
  const masker = new SecretRedactor(secrets)
  t.equal(Buffer.from(masker.push(Buffer.from(`ghp_${A36}`))).toString(), '[masked: GitHub token]')
  t.equal(masker.push(Buffer.from(A36)).length, 0)
  t.equal(Buffer.from(masker.push(Buffer.from(`${A36}: on.`))).toString(), ': on.')
})
