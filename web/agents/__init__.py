"""Agents and the exact engine in host processes, where they can harm neither the server nor other games.

- `agent_service.py`: `AgentService` chooses the host for a request and checks the answer.
- `run_agents.py`: the agents of the run that is served, which are not built in.
- `third_party_agent.py`: an agent that is not built in; its host gets views, and this process is the referee.
- `service_host.py`, `request_handler.py`: the host of trusted code, for the engine and for all built-in agents, and
  what it does there; `protocol.py` has the content of its messages.
- `shared_hosts.py`: the hosts (see `core/hosting/`) that all threads of the server share.
"""
