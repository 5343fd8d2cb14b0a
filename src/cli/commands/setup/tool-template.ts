// Renders a working template of a new tool, to be modified.

export const renderToolTemplate = (name: string) => `import { defineTool, Type } from 'toolgate/tool'

export default defineTool({
  description: 'Greet a person. Say here what ${name} does, for people and models.',
  effect: 'execute', // or read, write, network, destructive: who is asked follows from it
  input: Type.Object({
    name: Type.String({ description: 'Whom to greet.' })
  }),
  async run({ name }, ctx) {
    ctx.progress({ message: \`Greeting \${name}\` })
    return \`Hello, \${name}!\`
  }
})
`
