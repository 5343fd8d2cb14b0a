// Routes for background jobs, their input, and moving a running call to the background.
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Calls } from '../engine/calls.ts'
import type { Jobs } from '../engine/jobs/jobs.ts'
import { toListedJob } from '../engine/jobs/listed-jobs.ts'
import { ToolError } from '../errors.ts'
import { JobInput, JobList, JobPortParams, JobsQuery, PortLink } from '../protocol/jobs.ts'
import { CallIdParams } from '../protocol/request-params.ts'
import { schemaRef } from '../protocol/schema-ref.ts'
import type { PortLogins } from '../server/port-logins.ts'
import { sendCall } from './calls.ts'
import { openPath } from './ports/port-proxy.ts'
import { problemResponses } from './schema.ts'

interface JobServices {
  calls: Calls
  jobs: Jobs
  portLogins: PortLogins
}

export const jobRoutes: FastifyPluginAsyncTypebox<JobServices> = async (app, { calls, jobs, portLogins }) => {
  app.get(
    '/jobs',
    {
      schema: {
        operationId: 'listJobs',
        summary: 'Processes that run on after their call, or did, newest first.',
        description: 'Of one with more than 8 KiB, texts and lists are cut: `href` leads to the whole.',
        tags: ['jobs'],
        querystring: JobsQuery,
        response: { 200: JobList, ...problemResponses() }
      }
    },
    async ({ query, caller }) => {
      const visible = jobs.list(query).filter(({ task_id }) => calls.canSee(task_id, caller))
      return { jobs: visible.map(toListedJob) }
    }
  )

  app.get(
    '/jobs/:id',
    {
      schema: {
        operationId: 'getJob',
        summary: 'One of them. What it printed is at GET /calls/{id}/output.',
        tags: ['jobs'],
        params: CallIdParams,
        response: { 200: schemaRef('Job'), ...problemResponses('NOT_FOUND') }
      }
    },
    async ({ params }) => jobs.get(params.id) ?? throwUnknownJob(params.id)
  )

  app.post(
    '/jobs/:id/ports/:port/link',
    {
      schema: {
        operationId: 'openPort',
        summary: 'Make a link that opens a port of a running job in a browser, once and within a minute.',
        description: 'The browser then has access to this port until the job ends, and to nothing else.',
        tags: ['jobs'],
        params: JobPortParams,
        response: {
          201: PortLink,
          ...problemResponses('NOT_FOUND')
        }
      }
    },
    async ({ params: { id, port }, caller }, reply) => {
      const forwarded = jobs.ports.get(id, port)
      const url = jobs.get(id)?.ports?.find(each => each.port === port)?.url
      if (!forwarded || url === undefined)
        throw new ToolError('NOT_FOUND', `No running job ${id} makes port ${port} reachable.`)
      const { code, expires_at } = portLogins.createCode(forwarded, caller)
      return reply
        .code(201)
        .header('cache-control', 'no-store')
        .send({ url: url + openPath(code), expires_at })
    }
  )

  app.post(
    '/calls/:id/input',
    {
      schema: {
        operationId: 'writeInput',
        summary: 'Write to a running job, end its input, or set the size of its terminal.',
        description: 'For whoever may approve. Others call the tool send_input, which asks.',
        tags: ['jobs'],
        params: CallIdParams,
        body: JobInput,
        response: { 200: schemaRef('Job'), ...problemResponses('NOT_FOUND', 'CONFLICT') }
      }
    },
    async ({ params, body, caller }) => {
      if (!caller.rights.has('approve'))
        throw new ToolError(
          'FORBIDDEN',
          'This token may not write to a job. Call the tool send_input, which asks first.'
        )
      if (!jobs.get(params.id)) throwUnknownJob(params.id)
      await jobs.sendInput(params.id, body)
      return jobs.get(params.id)
    }
  )

  app.post(
    '/calls/:id/background',
    {
      schema: {
        operationId: 'backgroundCall',
        summary: 'Send a running call to the background: whoever waits for it is answered, and it runs on.',
        description: 'A command settles and leaves a job under the same id; any other call just runs on.',
        tags: ['jobs'],
        params: CallIdParams,
        response: {
          200: schemaRef('Call'),
          202: { description: 'The call runs on.', content: { 'application/json': { schema: schemaRef('Call') } } },
          ...problemResponses('NOT_FOUND', 'CONFLICT')
        }
      }
    },
    async ({ params }, reply) => sendCall(reply, await calls.moveToBackground(params.id))
  )
}

function throwUnknownJob(id: string): never {
  throw new ToolError('NOT_FOUND', `There is no job ${id}.`)
}
