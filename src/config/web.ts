// Configuration of the web tools.
import { Type } from 'typebox'

const count = (value: number, description: string) => Type.Integer({ minimum: 1, default: value, description })

/** Location of the results in the JSON of a custom endpoint. */
const Mapping = Type.Object(
  {
    results: Type.String({
      default: 'results',
      description: 'Path to the list of results in the response, such as `data.items`.'
    }),
    title: Type.String({ default: 'title', description: 'Path to the title within a result.' }),
    url: Type.String({ default: 'url', description: 'Path to the URL within a result.' }),
    snippet: Type.String({ default: 'snippet', description: 'Path to the text within a result.' })
  },
  { additionalProperties: false, default: {} }
)

export const WebSchema = Type.Object(
  {
    allow: Type.Array(Type.String({ format: 'host' }), {
      default: [],
      description:
        'Hosts from which pages can be fetched without approval. A host is a name, or *.domain for all its subdomains. ' +
        'Ports other than 80 and 443 must be given.'
    }),
    local: Type.Array(Type.String({ format: 'host' }), {
      default: [],
      description:
        'Hosts of this machine or of a private network from which pages can be fetched, such as localhost:3000. Each ' +
        'call needs approval, except if `web.allow` also lists the host.'
    }),
    contact: Type.Optional(
      Type.String({
        pattern: '^[\\x21-\\x27\\x2a-\\x7e]{1,200}$',
        description: 'Contact URL or email address that the user agent contains.'
      })
    ),
    max_bytes: count(5_242_880, 'Maximum size of a response, after decompression.'),
    search: Type.Object(
      {
        provider: Type.Optional(
          Type.Enum(['searxng', 'brave', 'tavily', 'json'], {
            description: 'Provider of `web_search`; `json` is a custom endpoint. Default: none.'
          })
        ),
        url: Type.Optional(
          Type.String({
            pattern: '^https?://',
            description:
              'URL of the search provider. For SearXNG: its address. For `json`: a URL with {query} and optionally ' +
              '{count}. Brave and Tavily need no URL. The host may be this machine or in a private network.'
          })
        ),
        key_env: Type.Optional(
          Type.String({
            description:
              'Environment variable with the API key of the provider. Default: BRAVE_API_KEY or TAVILY_API_KEY.'
          })
        ),
        mapping: Mapping
      },
      { additionalProperties: false, default: {} }
    )
  },
  { additionalProperties: false, default: {} }
)
