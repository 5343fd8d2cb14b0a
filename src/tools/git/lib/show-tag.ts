// Annotated tags: their author and message. A tag may refer to another.
import { type Static, Type } from 'typebox'
import { ToolError } from '../../../errors.ts'
import { assertGitSucceeded } from '../../../host/git/errors.ts'
import type { Repository } from '../../../host/git/repository.ts'
import type { ReadContext } from '../../../tool/contexts.ts'
import { unixToIso } from './commit-format.ts'
import { type GitObject, resolveObjects } from './revisions.ts'

const MAX_BYTES = 1024 * 1024
const MAX_MESSAGE = 16_384
/** Maximum length of a chain of tags. */
const MAX_TAG_DEPTH = 10

export const Tag = Type.Object({
  oid: Type.String({ description: 'Id of the tag object.' }),
  name: Type.String({ description: 'Name of the tag, from the tag object.' }),
  tagger: Type.Optional(Type.String({ description: 'Name and email of the tagger.' })),
  date: Type.Union([Type.String(), Type.Null()], { description: 'ISO 8601, UTC.' }),
  message: Type.String({ description: 'Message of the tag, including a signature.' })
})
type Tag = Static<typeof Tag>

/** Returns the tags up to the first object that is no tag. */
export async function tagsFrom(
  object: GitObject,
  repository: Repository,
  ctx: ReadContext
): Promise<{ tags: Tag[]; target: GitObject }> {
  const tags: Tag[] = []
  let target = object
  while (target.type === 'tag') {
    if (tags.length === MAX_TAG_DEPTH)
      throw new ToolError('TOO_LARGE', `A tag of a tag is resolved only up to ${MAX_TAG_DEPTH} levels.`)
    const { oid } = target
    const { stdout, ...ended } = await ctx.host.git.run(repository, {
      args: ['cat-file', 'tag', oid],
      max_bytes: MAX_BYTES
    })
    assertGitSucceeded(ended, 'read the tag', repository)
    const { of, ...tag } = parseTag(stdout.toString('utf8'))
    tags.push({ oid, ...tag })
    const [next] = await resolveObjects([of], repository, ctx)
    if (!next) throw new ToolError('EXECUTION_ERROR', `The tag ${tag.name} refers to ${of}, which is missing.`)
    target = next
  }
  return { tags, target }
}

function parseTag(text: string): Omit<Tag, 'oid'> & { of: string } {
  const end = text.indexOf('\n\n')
  const head = end < 0 ? text : text.slice(0, end)
  const field = (name: string) => new RegExp(`^${name} (.*)$`, 'm').exec(head)?.[1]
  const [, tagger, seconds = ''] = /^(.*?) (-?\d+) [+-]\d+$/.exec(field('tagger') ?? '') ?? []
  return {
    of: field('object') ?? '',
    name: field('tag') ?? '',
    ...(tagger !== undefined && { tagger }),
    date: unixToIso(seconds),
    message:
      end < 0
        ? ''
        : text
            .slice(end + 2)
            .trimEnd()
            .slice(0, MAX_MESSAGE)
  }
}

export const formatTags = (tags: readonly Tag[]): string[] =>
  tags.flatMap(({ name, tagger, date, message }) => [
    `tag ${name}`,
    ...(tagger === undefined ? [] : [`Tagger: ${tagger}  ${date ?? 'without a date'}`]),
    '',
    ...message.split('\n').map(line => `    ${line}`),
    ''
  ])
