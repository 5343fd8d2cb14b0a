// tier: full
import t from 'tap'
import { redactCredentials, redactForDecision, restoreRedacted } from '../../../src/text/secrets/credentials.ts'

const MARKER = '[masked: credentials]'

t.test('redacts the same text once, and nothing else in it', t => {
  for (const text of [
    'https://ann:a-pass:word@host.test/x?token=a$b&page=2',
    "curl -H 'Cookie: a=1; b=2' --api-key=x http://h.test",
    'ssh://git:pass@host.test/x'
  ]) {
    const once = redactCredentials(text)
    t.match(once, MARKER)
    t.match(once, /h(?:ost)?\.test/)
    t.equal(redactCredentials(once), once)
  }
  for (const text of [
    'ssh://git@host.test/x',
    'git@host.test:x',
    'const token = read(x)',
    'https://host.test/@a/b@1?key='
  ])
    t.equal(redactCredentials(text), text)
  const value = { list: [{ page: 1 }], token: 'of a text' }
  t.equal(redactCredentials(value), value, 'a value without credentials is the same value')
  t.end()
})

t.test('hides no part of a command that a shell would act on', t => {
  for (const text of ['https://a:$(id)@h.test', 'http://`id`@h.test', '--token=$(id)', 'A_TOKEN=;id', '?token=|id'])
    t.equal(redactForDecision(text), text)
  t.end()
})

t.test('takes time linear in the text', t => {
  const hostile = ['a:', '://a:', '--', 'A_', 'cookie: a=b;', 'https://', '?a=', 'authorization: ', '=', ':']
  for (const part of hostile)
    for (const text of [part.repeat(200_000), `://${part.repeat(200_000)}`, `https://${part.repeat(200_000)}`]) {
      redactForDecision(text)
      redactCredentials(text)
    }
  t.end()
})

t.test('restores what is unchanged, and refuses a changed text with a mark', t => {
  const original = { url: 'https://secret@host.test', list: ['https://secret@host.test', 'plain'], n: 1 }
  const from = { original, redacted: redactCredentials(original) }
  const refuse = (pointer: string) => new Error(pointer)
  t.strictSame(restoreRedacted(from.redacted, from, refuse), original)
  const edited = {
    url: 'https://other.test',
    list: [`https://${MARKER}@host.test`, `${MARKER} is a text`],
    more: MARKER
  }
  t.strictSame(restoreRedacted(edited, from, refuse), { ...edited, list: [original.list[0], `${MARKER} is a text`] })
  const changed = { list: [`https://${MARKER}@other.test`] }
  t.throws(() => restoreRedacted(changed, from, refuse), { message: '/list/0' })
  t.end()
})
