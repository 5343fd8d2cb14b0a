// Buttons in messages of Slack and Telegram, and what they do not permit.
// tier: quick
import { createHmac } from 'node:crypto'
import path from 'node:path'
import t, { type Test } from 'tap'
import { TokenSeal } from '../../src/server/token-seal.ts'
import type { Json, TestApp } from '../start-app.ts'
import { parseBody, type ReceivedRequest, startHttpService } from './http-service.ts'
import { readChannels, requestWrite, startNotifying, writeSecret } from './notify-fixture.ts'

const BOT_TOKEN = '123456:AAsecret-part_of_token'
const SIGNING_SECRET = '8f742231b10e8888abcd99yyyzzz85a5'

/** Creates the settings of a channel with a bot in Slack. */
const createChat = (t: Test, api_url: string) => ({
  kind: 'slack' as const,
  token_file: writeSecret(t, 'xoxb-0123456789'),
  channel: 'C012',
  api_url,
  signing_secret_file: writeSecret(t, SIGNING_SECRET),
  deciders: { U1: 'Ana' }
})

/** Starts a server with a bot in Slack. */
async function startWithSlack(t: Test, detail: 'title' | 'preview' = 'preview') {
  const service = await startHttpService(t)
  const chat = createChat(t, service.url)
  const app = await startNotifying(t, { channels: { chat }, detail })
  return { app, service }
}

const VALUE = { approve: 0, reject: 1 } as const

/** Returns what Slack sends when a button of a message is pressed. */
const pressOf = (message: ReceivedRequest, verb: keyof typeof VALUE, user = 'U1') => {
  const { text, blocks } = parseBody(message)
  const { value } = blocks[1].elements[VALUE[verb]]
  return {
    type: 'block_actions',
    user: { id: user },
    actions: [{ type: 'button', action_id: verb, value }],
    container: { type: 'message', channel_id: 'C012', message_ts: '1700000000.000100' },
    message: { text, blocks }
  }
}

interface Signing {
  secret?: string
  time?: number
  channel?: string
}

/** Sends a press as Slack does, without a token. */
async function sendPress(app: TestApp, press: Json, { secret = SIGNING_SECRET, time, channel = 'chat' }: Signing = {}) {
  const body = new URLSearchParams({ payload: JSON.stringify(press) }).toString()
  const seconds = String(time ?? Math.floor(Date.now() / 1_000))
  const signature = `v0=${createHmac('sha256', secret).update(`v0:${seconds}:${body}`).digest('hex')}`
  const response = await fetch(`${app.url}/notifications/slack/${channel}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      'x-slack-request-timestamp': seconds,
      'x-slack-signature': signature
    },
    body
  })
  return response.status
}

t.test('Slack: a message that shows the whole preview has buttons, which decide', async t => {
  const { app, service } = await startWithSlack(t)
  const call = await requestWrite(app)
  const id = call.tool_call_id
  const message = await service.next()
  const { blocks } = parseBody(message)
  t.match(blocks, [
    { type: 'section', text: { type: 'plain_text', text: /-before\n\+x/, emoji: false } },
    { type: 'actions', elements: [{ action_id: 'approve' }, { action_id: 'reject' }] }
  ])

  const approve = pressOf(message, 'approve')
  t.equal(await sendPress(app, approve), 200)
  t.match(await app.get(`/calls/${id}?wait_ms=120000`), {
    status: 'success',
    approved_by: {
      token: { id: 'button:chat:U1', name: 'Ana' },
      via: 'notification',
      channel: 'chat',
      digest: call.approval.digest
    }
  })
  const update = await service.next()
  t.equal(update.path, '/chat.update')
  t.match(parseBody(update), {
    channel: 'C012',
    ts: '1700000000.000100',
    blocks: [{ type: 'section' }, { type: 'context', elements: [{ text: 'Approved by Ana.' }] }]
  })
  t.equal(await sendPress(app, approve), 200)
  const again = await service.next()
  t.equal(again.path, '/chat.postEphemeral')
  t.match(parseBody(again), { user: 'U1', text: /^The call does not wait for approval/ })

  const other = await requestWrite(app, 'b.txt')
  t.equal(await sendPress(app, pressOf(await service.next(), 'reject')), 200)
  t.match(await app.get(`/calls/${other.tool_call_id}`), { status: 'rejected', rejected_by: { channel: 'chat' } })
})

t.test('Slack: forged, old and foreign requests do nothing', async t => {
  const { app, service } = await startWithSlack(t)
  const { tool_call_id } = await requestWrite(app)
  const message = await service.next()
  const approve = pressOf(message, 'approve')
  const now = Math.floor(Date.now() / 1_000)
  t.equal(await sendPress(app, approve, { secret: 'another-secret-of-another-app' }), 401)
  t.equal(await sendPress(app, approve, { time: now - 400 }), 401)
  t.equal(await sendPress(app, approve, { time: now + 400 }), 401)
  t.equal(await sendPress(app, approve, { channel: 'other' }), 401)
  t.equal(await sendPress(app, approve, { channel: '__proto__' }), 401)
  const url = `${app.url}/notifications/slack/chat`
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  t.equal((await fetch(url, { method: 'POST', headers, body: 'payload={}' })).status, 401, 'without a signature')

  const action = approve.actions[0]!
  const [verb, id, end, mac] = action.value.split('.') as [string, string, string, string]
  const withValue = (value: string) => ({ ...approve, actions: [{ ...action, value }] })
  for (const [press, answer] of [
    [pressOf(message, 'approve', 'U2'), /^You are not one of the people/],
    [pressOf(message, 'approve', 'constructor'), /^You are not one of the people/],
    [withValue(`n.${id}.${end}.${mac}`), /or the button is not valid/],
    [withValue(`${verb}.${id}.zzzzzz.${mac}`), /or the button is not valid/],
    [withValue(`${verb}.${id}.${end}.${'A'.repeat(22)}`), /or the button is not valid/],
    [withValue('anything'), /^The button is not valid/]
  ] as const) {
    t.equal(await sendPress(app, press), 200)
    const { path, body } = await service.next()
    t.equal(path, '/chat.postEphemeral')
    t.match(JSON.parse(body.toString()).text, answer)
  }
  app.write('a.txt', 'meanwhile\n')
  t.equal(await sendPress(app, approve), 200)
  t.match(parseBody(await service.next()).text, /^The preview has changed since it was shown/)
  t.equal((await app.get(`/calls/${tool_call_id}`)).status, 'awaiting_approval')
})

t.test('a message without the whole preview has no buttons', async t => {
  const { app, service } = await startWithSlack(t)
  const hasButtons = async () => 'blocks' in parseBody(await service.next())
  await app.call('shell_exec', { command: `echo ${'long '.repeat(1_000)}` })
  t.notOk(await hasButtons(), 'a long preview')
  await app.call('shell_exec', { command: 'rm -rf ~/x' })
  t.notOk(await hasButtons(), 'a strict call')
  await app.call('shell_exec', { command: 'touch "a\u202eb"' })
  t.notOk(await hasButtons(), 'invisible characters')
  app.write('a.txt', 'one\n')
  await app.call('write_file', { path: 'a.txt', content: `token = ghp_${'a1B2c3D4e5F6'.repeat(3)}\n` })
  t.notOk(await hasButtons(), 'a diff of which something is redacted')
  await app.call('shell_exec', { command: 'touch a' })
  t.ok(await hasButtons())
  const titles = await startWithSlack(t, 'title')
  await titles.app.call('shell_exec', { command: 'touch a' })
  t.notOk('blocks' in parseBody(await titles.service.next()), 'without detail preview')
})

t.test('a message contains the further information of the preview', async t => {
  const { app, service } = await startWithSlack(t)
  const { approval } = await app.call('shell_exec', { command: 'git status && touch a' })
  const { information } = approval.preview
  t.ok(information.length > 0)
  const { text } = parseBody(await service.next()).blocks[0].text
  for (const line of information) t.ok(text.includes(line), line)
})

t.test('a button is for its channel, and until its end', async t => {
  const service = await startHttpService(t)
  const chat = createChat(t, service.url)
  const app = await startNotifying(t, {
    channels: { chat, other: { ...chat, after_ms: 3_600_000 } },
    detail: 'preview'
  })
  const { tool_call_id, approval } = await requestWrite(app)
  const approve = pressOf(await service.next(), 'approve')
  t.equal(await sendPress(app, approve, { channel: 'other' }), 200)
  t.match(parseBody(await service.next()).text, /or the button is not valid/)

  const seal = new TokenSeal({ XDG_CONFIG_HOME: path.join(app.folder, 'config') })
  const withEnd = (end: number) => {
    const text = JSON.stringify(['y', tool_call_id, approval.digest, 'chat', end])
    const mac = seal.sign('decision button', text)
    const value = `y.${tool_call_id.slice('tc_'.length)}.${end.toString(36)}.${mac}`
    return { ...approve, actions: [{ ...approve.actions[0], value }] }
  }
  const now = Math.floor(Date.now() / 1_000)
  t.equal(await sendPress(app, withEnd(now - 60)), 200)
  t.match(parseBody(await service.next()).text, /^The button has expired/)
  t.equal((await app.get(`/calls/${tool_call_id}`)).status, 'awaiting_approval')
  t.equal(await sendPress(app, withEnd(now + 3_600)), 200)
  t.equal((await service.next()).path, '/chat.update', 'signed like the server does')
})

t.test('a signed request that is no press does nothing', async t => {
  const { app } = await startWithSlack(t)
  for (const press of ['text', 7, null, [], { type: 'block_actions', actions: 'x' }, { type: 'view_closed' }])
    t.equal(await sendPress(app, press), 200, JSON.stringify(press))
})

t.test('Slack: deciders need a bot and the signing secret', async t => {
  const app = await startNotifying(t, { channels: { chat: { kind: 'slack', deciders: { U1: 'Ana' } } } })
  t.match(await readChannels(app), [{ problem: /the token of a bot, and the signing secret/ }])
})

t.test('Telegram: presses are fetched while a sent call waits, and decide', async t => {
  const service = await startHttpService(t, [], '{"ok":true,"result":[]}')
  const bot = {
    kind: 'telegram' as const,
    token_file: writeSecret(t, BOT_TOKEN),
    chat_id: 42,
    api_url: service.url,
    deciders: { '7': 'Ana' }
  }
  const app = await startNotifying(t, { channels: { bot }, detail: 'preview' })
  /** Returns the next request to this method; the service answers polls without presses at once. */
  const nextOf = async (method: string) => {
    for (;;) {
      const request = await service.next()
      if (request.path === `/bot${BOT_TOKEN}/${method}`) return parseBody(request)
    }
  }
  /** Waits for a poll that takes so long. */
  const nextPoll = async (timeout: number) => {
    while ((await nextOf('getUpdates')).timeout !== timeout);
  }
  const call = await requestWrite(app)
  const { reply_markup, text } = await nextOf('sendMessage')
  t.match(text, /-before\n\+x/)
  const [[approve, reject]] = reply_markup.inline_keyboard
  t.match([approve.text, reject.text], ['Approve', 'Reject'])
  t.ok(Buffer.byteLength(approve.callback_data) <= 64)
  t.match(await nextOf('getUpdates'), { limit: 1, timeout: 30, allowed_updates: ['callback_query'] })

  let update_id = 100
  const press = (from: number, data: string) => {
    const message = { message_id: 9, chat: { id: 42 } }
    const query = { id: `q${update_id}`, from: { id: from }, data, message }
    const result = [{ update_id: update_id++, callback_query: query }]
    service.answers.push({ status: 200, body: JSON.stringify({ ok: true, result }) })
  }
  press(8, approve.callback_data)
  t.match(await nextOf('answerCallbackQuery'), {
    callback_query_id: 'q100',
    text: /^You are not one of/,
    show_alert: true
  })
  press(7, 'forged')
  t.match(await nextOf('answerCallbackQuery'), { text: 'The button is not valid.' })
  t.equal((await app.get(`/calls/${call.tool_call_id}`)).status, 'awaiting_approval')
  press(7, approve.callback_data)
  t.match(await nextOf('answerCallbackQuery'), { text: 'Approved by Ana.', show_alert: false })
  t.match(await nextOf('editMessageReplyMarkup'), { chat_id: 42, message_id: 9, reply_markup: { inline_keyboard: [] } })
  t.match(await app.get(`/calls/${call.tool_call_id}?wait_ms=120000`), {
    status: 'success',
    approved_by: { token: { id: 'button:bot:7', name: 'Ana' }, channel: 'bot' }
  })
  t.match(await nextOf('getUpdates'), { offset: 103, timeout: 0 }, 'confirms the last press, and ends')

  // A call that is sent while the last press is being confirmed.
  const none = { status: 200, body: '{"ok":true,"result":[]}' }
  const { promise: confirmed, resolve: confirm } = Promise.withResolvers<typeof none>()
  const second = await requestWrite(app, 'b.txt')
  const [[again]] = (await nextOf('sendMessage')).reply_markup.inline_keyboard
  press(7, again.callback_data)
  service.answers.push(none, none, confirmed)
  await nextPoll(0)
  t.match(await app.get(`/calls/${second.tool_call_id}?wait_ms=120000`), { status: 'success' })
  await requestWrite(app, 'c.txt')
  await nextOf('sendMessage')
  confirm(none)
  await nextPoll(30)
})
