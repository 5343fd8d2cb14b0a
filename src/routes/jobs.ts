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
        summary: 'List background processes, newest first.',
        description: 'Entries over 8 KiB are shortened: `href` has the whole entry.',
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
        summary: 'Get a background process. GET /calls/{id}/output returns its output.',
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
        summary: 'Create a link that opens a port of a running job in a browser, valid once within one minute.',
        description: 'The browser can access only this port, until the job ends.',
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
        throw new ToolError(
          'NOT_FOUND',
          `No running job with the id ${id} makes port ${port} reachable. List the jobs and their ports with GET /jobs.`
        )
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
        summary: 'Send input to a running job, close its input, or resize its terminal.',
        description:
          'Only for tokens that can approve. With other tokens, call the tool send_input, which needs approval.',
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
          'This token cannot write to a job directly. Call the tool send_input, which needs approval.'
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
        summary: 'Move a running call to the background: waiting requests get a response, and the call continues.',
        description:
          'The call of a command ends, and the command continues as a job with the same id. Other calls continue.',
        tags: ['jobs'],
        params: CallIdParams,
        response: {
          200: schemaRef('Call'),
          202: { description: 'The call continues.', content: { 'application/json': { schema: schemaRef('Call') } } },
          ...problemResponses('NOT_FOUND', 'CONFLICT')
        }
      }
    },
    async ({ params }, reply) => sendCall(reply, await calls.moveToBackground(params.id))
  )
}

function throwUnknownJob(id: string): never {
  throw new ToolError('NOT_FOUND', `There is no job with the id ${id}.`)
}
