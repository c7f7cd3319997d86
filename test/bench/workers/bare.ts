/** The least a Worker can do: the ceiling of everything else. */
export default {
  fetch: () => new Response("hello"),
} satisfies ExportedHandler;
