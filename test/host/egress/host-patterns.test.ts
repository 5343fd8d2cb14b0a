// Tests of host patterns: the hosts they cover, in any spelling.
// tier: quick
import fc from 'fast-check'
import t from 'tap'
import { isHostCovered, parseHostPattern } from '../../../src/host/egress/host-patterns.ts'
import { parseAuthority, parseHostName } from '../../../src/host/egress/parse-host.ts'
import { coversPattern, hostText, patternsOverlap, readHostPattern } from '../../../src/text/url/hosts.ts'
import { catchErrorCode } from '../../tools/fixture.ts'

/** Pattern → authorities that it covers, and that it does not. */
const PATTERNS: Record<string, { yes: string[]; no: string[] }> = {
  'google.com': {
    yes: ['google.com:443', 'google.com:80', 'GOOGLE.com:443', 'google.com.:443', 'ＧＯＯＧＬＥ.com:443'],
    no: [
      'evilgoogle.com:443',
      'google.com.evil.com:443',
      'www.google.com:443',
      'google.co:443',
      'google.com:22',
      'google.com:8443',
      'xn--ggle-0nda.com:443'
    ]
  },
  '*.google.com': {
    yes: ['www.google.com:443', 'a.b.google.com:80', 'WWW.google.com.:443'],
    no: ['google.com:443', 'evilgoogle.com:443', 'www.google.com.evil.com:443', 'www.google.com:8080']
  },
  'Registry.Example.com.': { yes: ['registry.example.com:443'], no: ['example.com:443'] },
  'bücher.example': { yes: ['xn--bcher-kva.example:443', 'BÜCHER.example:443'], no: ['bucher.example:443'] },
  'example.com:8443': { yes: ['example.com:8443'], no: ['example.com:443', 'example.com:80'] },
  '*.example.com:8443': { yes: ['a.example.com:8443'], no: ['a.example.com:443'] },
  '93.184.215.14': {
    yes: ['93.184.215.14:443', '0x5db8d70e:443'],
    no: ['93.184.215.15:443', 'a.93.184.215.14.test:443']
  },
  '*.shop.co.uk': { yes: ['www.shop.co.uk:443'], no: ['shop.co.uk:443', 'other.co.uk:443'] },
  '*.t.co': { yes: ['a.t.co:443'], no: ['t.co:443'] },
  'co.uk': { yes: ['co.uk:443'], no: ['shop.co.uk:443'] },
  '[2606:2800::1]:443': { yes: ['[2606:2800::1]:443', '[2606:2800:0::0:1]:443'], no: ['[2606:2800::1]:80'] }
}

const NO_PATTERNS = [
  '',
  '*',
  '*.',
  '*.com',
  '*.co.uk',
  '*.COM.au.',
  '*.or.jp:8443',
  '.example.com',
  'a.*.com',
  '*example.com',
  'example.com:',
  'example.com:0',
  'example.com:65536',
  'example.com:443:443',
  'https://example.com',
  'example.com/path',
  'user@example.com',
  'exa mple.com',
  'example.com\0.evil.com',
  'example%2ecom',
  '*.1.2.3.4',
  '2606:2800::1',
  '[fe80::1%eth0]',
  'a..b',
  `${'a'.repeat(64)}.com`,
  `${'a.'.repeat(130)}com`
]

const NO_HOSTS = [
  'google.com\0.evil.com',
  'google.com%00.evil.com',
  'google.com%2eevil.com',
  'google.com\r\n',
  'goo\tgle.com',
  'google.com ',
  'google.com/',
  'google.com\\',
  'evil.com@google.com',
  'google.com..',
  '.google.com',
  '[::1%25lo]',
  '[::1',
  '::1',
  '1.2.3.4.5',
  'google.com\u200b'
]

for (const [text, { yes, no }] of Object.entries(PATTERNS))
  t.test(text, async t => {
    const pattern = parseHostPattern(text)
    const covered = (all: string[]) =>
      all.filter(one => {
        const { host, port } = parseAuthority(one)
        return isHostCovered([pattern], host, port)
      })
    t.strictSame(covered(yes), yes)
    t.strictSame(covered(no), [])
  })

t.test('one list covers another', async t => {
  const cases: [string, string, { covers: boolean; overlap: boolean }][] = [
    ['example.com', 'EXAMPLE.com.', { covers: true, overlap: true }],
    ['example.com', 'example.com:443', { covers: true, overlap: true }],
    ['example.com:443', 'example.com', { covers: false, overlap: true }],
    ['example.com:8443', 'example.com', { covers: false, overlap: false }],
    ['example.com:8443', 'example.com:8443', { covers: true, overlap: true }],
    ['*.example.com', 'a.example.com:443', { covers: true, overlap: true }],
    ['*.example.com', '*.a.example.com', { covers: true, overlap: true }],
    ['*.example.com', '*.example.com', { covers: true, overlap: true }],
    ['*.example.com', 'example.com', { covers: false, overlap: false }],
    ['*.a.example.com', '*.example.com', { covers: false, overlap: true }],
    ['a.example.com', '*.example.com', { covers: false, overlap: true }],
    ['example.com', '*.example.com', { covers: false, overlap: false }],
    ['*.example.com:8443', 'a.example.com', { covers: false, overlap: false }],
    ['*.example.com', 'evilexample.com', { covers: false, overlap: false }],
    ['*.2.3.example', '1.2.3.4', { covers: false, overlap: false }]
  ]
  for (const [one, other, wanted] of cases) {
    const [a, b] = [parseHostPattern(one), parseHostPattern(other)]
    t.same({ covers: coversPattern(a, b), overlap: patternsOverlap(a, b) }, wanted, `${one} and ${other}`)
    t.equal(patternsOverlap(b, a), wanted.overlap)
  }
})

t.test('rejects invalid patterns', async t => {
  const refused = []
  for (const text of NO_PATTERNS)
    if ((await catchErrorCode(() => parseHostPattern(text)).catch(() => '')) === 'INVALID_PARAMS') refused.push(text)
  t.strictSame(refused, NO_PATTERNS)
})

t.test('rejects invalid hosts', async t => {
  const refused = []
  for (const text of NO_HOSTS)
    if ((await catchErrorCode(() => parseHostName(text)).catch(() => '')) === 'URL_BLOCKED') refused.push(text)
  t.strictSame(refused, NO_HOSTS)
})

t.test('any spelling of a host normalizes to plain characters, idempotently, or is invalid', async () => {
  const host = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 40 }),
    fc.domain(),
    fc.ipV4(),
    fc.ipV6().map(address => `[${address}]`),
    fc.tuple(fc.domain(), fc.string({ maxLength: 3 }), fc.domain()).map(parts => parts.join(''))
  )
  fc.assert(
    fc.property(host, text => {
      let read: ReturnType<typeof parseHostName>
      try {
        read = parseHostName(text)
      } catch {
        return true
      }
      const shown = hostText(read)
      const again = parseHostName('address' in read && shown.includes(':') ? `[${shown}]` : shown)
      return /^[a-z0-9._:-]+$/.test(shown) && hostText(again) === shown
    })
  )
})

t.test('a pattern for subdomains covers no other name with that suffix or prefix', async () => {
  const label = fc.stringMatching(/^[a-z][a-z0-9-]{0,8}[a-z0-9]$/)
  fc.assert(
    fc.property(label, label, label, (a, b, c) => {
      fc.pre(readHostPattern(`*.${b}.${c}`) !== undefined)
      const pattern = parseHostPattern(`*.${b}.${c}`)
      const hit = (name: string) => isHostCovered([pattern], parseHostName(name), 443)
      return hit(`${a}.${b}.${c}`) && !hit(`${b}.${c}`) && !hit(`${a}${b}.${c}`) && !hit(`${a}.${b}.${c}.${a}`)
    })
  )
})
