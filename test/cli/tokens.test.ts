import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import t from 'tap'
import { plain, served } from './toolgate.ts'

const CODE = /^(http:\/\/127\.0\.0\.1:\d+)\/#code=([\w-]{22})$/

t.test('tokens are given out, listed and revoked', async t => {
  const { toolgate, server } = await served(t)
  t.match(await toolgate(['token', 'list']), { code: 0, stdout: '', stderr: 'No token is given out.\n' })
  const made = await toolgate(['token', 'create', '--agent', 'reviewer', '--expires', '2h'])
  t.match(made, {
    code: 0,
    stdout: /^tg_[\w-]{43}\n$/,
    stderr: /^tok_[\w-]+ counts until .*\. It is not shown again\.\n$/
  })
  const [given] = JSON.parse((await toolgate(['token', 'list', '--json'])).stdout)
  t.match(given, { name: 'reviewer', kind: 'token', rights: ['call'], agent: 'reviewer' })
  t.equal(Date.parse(given.expires_at) - Date.parse(given.created_at), 7_200_000)
  t.equal(
    plain((await toolgate(['token', 'list'])).stdout).replace(given.token_id, 'TOKEN'),
    'TOKEN             KIND   ROLE  AGENT     EXPIRES                   NAME\n' +
      'TOKEN  token  call  reviewer  TIME  reviewer\n'
  )
  const state = () => fetch(`${server.url}/state`, { headers: { authorization: `Bearer ${made.stdout.trim()}` } })
  t.equal((await state()).status, 200)
  t.same(await toolgate(['token', 'revoke', given.token_id]), {
    code: 0,
    stdout: `${given.token_id} revoked\n`,
    stderr: ''
  })
  t.equal((await state()).status, 401)
  t.match(await toolgate(['token', 'revoke', given.token_id]), { code: 1, stderr: /There is no such token/ })
  t.match(await toolgate(['token', 'create', '--role', 'all']), { code: 2, stderr: /It is call or approve/ })
})

t.test('the console is opened with a code, or its address printed', async t => {
  const { toolgate, server, folder } = await served(t)
  const printed = await toolgate(['open'])
  t.match(printed, { code: 0, stderr: 'It counts once, for a minute.\n' }, 'no display, so it is printed')
  const [, url, code] = CODE.exec(printed.stdout.trim())!
  t.equal(url, server.url)
  const body = JSON.stringify({ code })
  const trade = () => fetch(`${url}/session`, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  t.match(await (await trade()).json(), { kind: 'session', rights: ['call', 'approve'] })
  t.equal((await trade()).status, 401)
  const { url: asked } = JSON.parse((await toolgate(['open', '--role', 'call', '--json'])).stdout)
  t.match(asked, CODE)

  // A browser of ours, which tells where it was led.
  const [bin, led] = [path.join(folder, 'bin'), path.join(folder, 'led')]
  mkdirSync(bin)
  execFileSync('mkfifo', [led])
  for (const name of ['xdg-open', 'open'])
    writeFileSync(path.join(bin, name), `#!/bin/sh\nprintf %s "$1" > ${led}\n`, { mode: 0o755 })
  const env = { DISPLAY: ':0', PATH: `${bin}:${process.env.PATH}` }
  const [opened, went] = await Promise.all([toolgate(['open'], { env }), readFile(led, 'utf8')])
  t.same(opened, { code: 0, stdout: '', stderr: `The console of ${server.url} opens.\n` })
  t.match(went, CODE)
})
