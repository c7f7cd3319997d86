/** A Worker with a service binding to Edgeflake: calls a given method, and answers with its result. */
export default {
  async fetch(request, env) {
    const { method, args } = await request.json();
    try {
      return Response.json({ value: await env.IDS[method](...args) });
    } catch (error) {
      return Response.json({ message: error.message, problem: { ...error } });
    }
  },
};
