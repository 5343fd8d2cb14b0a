// tier: quick
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import path from 'node:path'
import t from 'tap'
import { loadTokens } from '../../src/server/tokens.ts'
import { makeTestFolder } from '../support/test-folder.ts'
import { waitUntil } from '../support/wait.ts'

const A = 'a'.repeat(32)
const B = 'b'.repeat(32)

t.test('creates tokens: two, long, with their rights', async t => {
  const tokens = loadTokens({})
  const { token, call_token } = tokens.current()
  t.match([token, call_token], [/^[\w-]{43}$/, /^[\w-]{43}$/])
  t.not(token, call_token)
  t.same([...(tokens.authenticate(token)?.rights ?? [])], ['call', 'approve'])
  t.same([...(tokens.authenticate(call_token)?.rights ?? [])], ['call'])
  t.same(tokens.authenticate(token)?.token, { id: 'server', name: userInfo().username })
  t.equal(tokens.authenticate(''), undefined)
  t.equal(tokens.authenticate(`${token} `), undefined)
})

t.test('follows changes of a token file', async t => {
  const file = path.join(makeTestFolder(t), 'token')
  const put = (text: string) => writeFileSync(file, text, { mode: 0o600 })
  put(`${A}\n`)
  const tokens = loadTokens({ token_file: file })
  t.ok(tokens.authenticate(A))
  const until = (holds: () => boolean) => waitUntil('the token file to be read again', holds)
  put(B)
  await until(() => tokens.authenticate(B) !== undefined)
  t.equal(tokens.authenticate(A), undefined, 'the old one is dead')
  t.equal(tokens.current().token, B)
  rmSync(file)
  await until(() => tokens.authenticate(B) === undefined)
  put(A)
  await until(() => tokens.authenticate(A) !== undefined)
})

t.test('rejects invalid token files', async t => {
  const folder = makeTestFolder(t)
  const refusal = (text: string | undefined, mode = 0o600) => {
    const file = path.join(folder, 'token')
    rmSync(file, { force: true, recursive: true })
    if (text === undefined) mkdirSync(file)
    else {
      writeFileSync(file, text)
      chmodSync(file, mode)
    }
    try {
      loadTokens({ token_file: file })
      return 'taken'
    } catch (error) {
      return (error as Error).message.replace(file, 'FILE')
    }
  }
  t.equal(refusal(A), 'taken')
  t.equal(refusal(A, 0o640), 'taken')
  t.match(refusal(A, 0o644), /^The token file FILE is accessible to other users/)
  t.match(refusal(A, 0o620), /^The token file FILE is accessible to other users/)
  t.match(refusal('short'), /^The token file FILE must contain one line of at least 22/)
  t.match(refusal(`${A} ${A}`), /^The token file FILE must contain one line/)
  t.match(refusal('a'.repeat(5000)), /^The token file FILE is too long/)
  t.match(refusal(undefined), /^The token file FILE is not a regular file/)
  t.throws(() => loadTokens({ token_file: path.join(folder, 'missing') }), { message: /cannot be opened/ })
})

t.test('a token may be issued to one agent', async t => {
  const folder = makeTestFolder(t, { coder: `${A}\n`, other: `${B}\n` })
  for (const name of ['coder', 'other']) chmodSync(path.join(folder, name), 0o600)
  const tokens = loadTokens({
    agent_token_files: { coder: path.join(folder, 'coder'), 'the other': path.join(folder, 'other') }
  })
  t.match(tokens.authenticate(A), { agent: 'coder', rights: new Set(['call']) })
  t.equal(tokens.authenticate(B)?.agent, 'the other')
  t.notOk(tokens.authenticate(tokens.current().token)?.agent)
  t.same(tokens.allTexts().slice(2), [A, B])
})
