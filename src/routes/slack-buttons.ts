// The route to which Slack sends pressed buttons. It needs no token: the channel verifies the signature of Slack.
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import type { Notifier } from '../notify/notifier.ts'
import { SlackButtonBody, SlackButtonParams } from '../protocol/notifications.ts'

/** Slack sends a pressed button together with its message. */
const MAX_PRESS_BYTES = 131_072

export const slackButtonRoutes: FastifyPluginAsyncTypebox<{ notifier: Pick<Notifier, 'receive'> }> = async (
  app,
  { notifier }
) => {
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: MAX_PRESS_BYTES },
    async (_request: FastifyRequest, body: string) => body
  )

  app.post(
    '/notifications/slack/:channel',
    {
      config: { open: true, bytes: true },
      schema: { hide: true, params: SlackButtonParams, body: SlackButtonBody }
    },
    async ({ params, headers, body }) => {
      await notifier.receive(params.channel, { headers, body })
      return {}
    }
  )
}
